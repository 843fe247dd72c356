"""Runs one program again and again in forks of a warmed parent; started in the program's own environment.

    python worker.py TARGET MODULE...

TARGET is "module:name" or "script:path". Jobs come as JSON lines on stdin ({"argv", "cwd", "env", "stderr"}),
and a line with the process id and the exit status goes out for each. Interpreter start and imports, most of a
short run, happen once in the parent. The tracer counts them there; the recorder adds them to what each child
counts.
"""

import json
import os
import runpy
import sys
import traceback


def run(target, job):
    """Become the program; does not return."""
    status = 1
    try:
        os.chdir(job["cwd"])
        os.environ.update(job["env"])
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(os.open(job["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        kind, _, name = target.partition(":")
        sys.argv = [name, *job["argv"]]
        if kind == "module":
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(name)
            runpy.run_path(name, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as error:
        # As the interpreter does before it calls the hook: this is how the tracer learns of it.
        sys.audit("sys.excepthook", sys.excepthook, type(error), error, error.__traceback__)
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def main():
    target, modules = sys.argv[1], sys.argv[2:]
    for name in modules:
        __import__(name)
    print(os.getpid(), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            run(target, job)
        _, status = os.waitpid(child, 0)
        print(child, os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
