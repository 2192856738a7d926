// What a reader would see go wrong on the page as it is drawn: text beside the screen, cut off, or over other text.
() => {
  const GLYPHS = 0.3; // The part of a line's box, above and below, that letters leave empty.
  const SLACK = 1.5;
  const problems = [];
  const said = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 50));

  const isHidden = (element) => {
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return true;
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      if (each.classList.contains("visually-hidden") || each.classList.contains("skip-link")) return true;
      const style = getComputedStyle(each);
      if (style.clipPath === "inset(50%)") return true;
    }
    return false;
  };

  const cuts = new Map();
  const cutBy = (element) => {
    // The boxes that cut this element's text off: where one can be scrolled, what is beyond its edge can be reached.
    if (!element || element === document.documentElement) return [];
    if (!cuts.has(element)) {
      const style = getComputedStyle(element);
      const canScroll = /auto|scroll/.test(style.overflowX);
      const cutsOff = /hidden|clip/.test(style.overflowX) || /hidden|clip/.test(style.overflowY);
      const above = canScroll ? [] : cutBy(element.parentElement);
      cuts.set(element, cutsOff ? [element, ...above] : above);
    }
    return cuts.get(element);
  };

  const canScroll = (element) => {
    for (let each = element; each; each = each.parentElement) {
      if (each !== document.documentElement && /auto|scroll/.test(getComputedStyle(each).overflowX)) return true;
    }
    return false;
  };

  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || /^(SCRIPT|STYLE|OPTION|TITLE|NOSCRIPT)$/i.test(element.tagName) || isHidden(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      if (line.width < 1 || line.height < 1) continue;
      const inset = line.height * GLYPHS;
      boxes.push({ node, left: line.left, right: line.right, top: line.top + inset, bottom: line.bottom - inset });
    }
  }

  const tooWide = document.documentElement.scrollWidth - window.innerWidth;
  if (tooWide > 0) problems.push(`the page is ${tooWide} px wider than the screen`);
  for (const box of boxes) {
    const element = box.node.parentElement;
    const isBeside = box.left < -SLACK || box.right > window.innerWidth + SLACK;
    if (isBeside && !canScroll(element)) problems.push(`${said(box.node.data)} is beside the screen`);
    for (const cutter of cutBy(element)) {
      const edge = cutter.getBoundingClientRect();
      const beyond = Math.max(edge.left - box.left, box.right - edge.right, edge.top - box.top, box.bottom - edge.bottom);
      if (beyond > SLACK) problems.push(`${said(box.node.data)} is cut off by ${Math.round(beyond)} px`);
    }
  }

  boxes.sort((one, other) => one.top - other.top);
  boxes.forEach((one, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].top < one.bottom; next += 1) {
      const other = boxes[next];
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - other.top;
      if (one.node !== other.node && across > SLACK && down > SLACK) {
        problems.push(`${said(one.node.data)} and ${said(other.node.data)} lie over each other`);
      }
    }
  });

  for (const control of document.querySelectorAll("button, .button, input[type=submit]")) {
    if (!isHidden(control) && control.scrollWidth > control.clientWidth + SLACK) {
      problems.push(`the label of ${said(control.textContent)} does not fit`);
    }
  }
  return [...new Set(problems)].slice(0, 8);
}
