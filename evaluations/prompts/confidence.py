"""What a system is asked about its own reply, after it: how sure it is, from 1 to 5."""

CONFIDENCE_PROMPT = """\
How sure are you that the final answer in your last reply is right? Choose one of these levels:
1: not sure at all, no more than a guess
2: rather unsure
3: neither sure nor unsure
4: rather sure
5: as good as certain
Write the number of the level and nothing else. Your answer itself is taken as it stands; do not repeat or change it."""
