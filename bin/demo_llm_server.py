"""Serve a GGUF model over HTTP with xllamacpp until told to stop. Runs with the Python of var/llm."""

import argparse
import signal
import sys

import xllamacpp


def main() -> None:
    """Listen on 127.0.0.1."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--model", "--model_alias"):
        parser.add_argument(name, required=True)
    for name in ("--port", "--n_ctx", "--n_threads"):
        parser.add_argument(name, type=int, required=True)
    options = parser.parse_args()
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = options.model, {options.model_alias}
    params.hostnames, params.port = ["127.0.0.1"], options.port
    params.n_ctx, params.n_parallel, params.n_gpu_layers = options.n_ctx, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.n_threads
    server = xllamacpp.Server(params)
    print(f"listening on {server.listening_address}", file=sys.stderr, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
