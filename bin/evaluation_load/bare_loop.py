"""The bare baseline: `AsyncOpenAI` and a semaphore, nothing read, judged or stored.

`python bare_loop.py BASE_URL CONCURRENCY` reads a JSON list of prompts and prints its time, its processor time in
seconds and its memory in megabytes.
"""

import asyncio
import json
import resource
import sys
import time

import openai


async def _ask_all(base_url: str, concurrency: int, prompts: list[str]) -> None:
    free = asyncio.Semaphore(concurrency)
    async with openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0) as client:

        async def ask(prompt: str) -> str:
            async with free:
                answer = await client.chat.completions.create(
                    model="mock", messages=[{"role": "user", "content": prompt}], temperature=0
                )
            return answer.choices[0].message.content or ""

        await asyncio.gather(*(ask(prompt) for prompt in prompts))


def main() -> None:
    """Ask everything and say what it took."""
    prompts = json.load(sys.stdin)
    start, processor = time.perf_counter(), time.process_time()
    asyncio.run(_ask_all(sys.argv[1], int(sys.argv[2]), prompts))
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "processor": processor, "memory": memory}))


if __name__ == "__main__":
    main()
