# SPDX-License-Identifier: Apache-2.0
"""Programs without TensorFlow, and command lines that start them: for run_as_python.py."""

from __future__ import annotations

SHOW = """\
import builtins, os, sys
print(__name__, __package__, __doc__, type(__loader__).__name__, __spec__ and __spec__.name)
print(globals().get("__file__"), globals().get("__cached__"), sorted(globals()))
print(__builtins__ is builtins, sys.modules["__main__"].__dict__ is globals())
print(sys.argv, sys.orig_argv, os.getcwd())
print(sys.path, sys.flags, sys.warnoptions, sys._xoptions)
# What it starts finds the old names by the two variables that are left out besides.
print(sorted((k, v) for k, v in os.environ.items()
             if k not in ("_", "PYTHON", "PYTHONPATH", "COMPAT_LOSSSCALE_RUN")))
print(sys.excepthook is sys.__excepthook__, sys.displayhook, sys.stdout.encoding, sys.gettrace())
print(sorted({name.split(".")[0] for name in sys.modules}
      - {"compat_lossscale", "__future__", "importlib", "warnings", "time"}))
"""
ENDS = """\
import sys
class Own(SystemExit): pass
def chained():
    try:
        {}["key"]
    except KeyError as error:
        raise ValueError("the second") from error
def nested():
    try:
        {}["key"]
    except KeyError:
        1 / 0
def deep():
    deep()
def interrupted():
    import os, signal, time
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
def killed(name):
    import os, signal
    os.kill(os.getpid(), getattr(signal, name))
def thread(how):
    import threading
    one = threading.Thread(target=how, name="one")
    one.start()
    one.join()
def noted():
    error = ValueError("a")
    getattr(error, "add_note", print)("a note")
    raise error
def raising():
    raise KeyboardInterrupt
def left():
    import os
    os._exit(3)
eval(sys.argv[1])
"""
SPAWN = """\
import multiprocessing, os, sys
class Result:
    def __init__(self, value):
        self.value = value
def work(value):
    main = sys.modules["__main__"]
    return Result((value, __name__, Result.__module__, main.__name__, sys.path, sys.argv,
                   os.path.basename(main.__file__), multiprocessing.get_start_method()))
def fail(value):
    raise ValueError(value)
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(2) as pool:
        for result in pool.map(work, range(3)):
            print(type(result) is Result, result.value)
        try:
            pool.map(fail, [1])
        except ValueError as error:
            print("failed", error)
    process = multiprocessing.Process(target=print, args=("in a process",))
    process.start()
    process.join()
    print(process.exitcode)
"""
ATEXIT = """\
import atexit, sys, threading, time, weakref
VALUE = "still there"
class Watched:
    def __del__(self):
        print("gone", VALUE)
watched = Watched()
@atexit.register
def last():
    print("atexit", sys.modules["__main__"].VALUE, VALUE, __name__)
def slowly():
    time.sleep(0.1)
    print("thread", sys.modules["__main__"].VALUE)
threading.Thread(target=slowly).start()
print("end")
"""
FRAMES = """\
import inspect, logging, sys, traceback, warnings
def f():
    traceback.print_stack()
    print([(frame.filename, frame.function, frame.lineno) for frame in inspect.stack()])
    for level in range(1, 5):
        warnings.warn("level %d" % level, stacklevel=level)
    logging.basicConfig(format="%(filename)s %(funcName)s %(lineno)d %(message)s")
    logging.warning("hello")
f()
"""
OWN = """\
import click, random, six, typing, types_of_mine, jinja2, logging, functools
print([m.__file__ for m in (click, random, six, typing, jinja2, logging, functools)])
"""
MAIN = """\
import sys
from . import VALUE
print(VALUE, __name__, __package__, __spec__.name, sys.argv)
"""
FILES = {
    "show.py": SHOW,
    "sub/show.py": SHOW,
    "ends.py": ENDS,
    "spawn.py": SPAWN,
    "atexits.py": ATEXIT,
    "frames.py": FRAMES,
    "own/main.py": OWN,
    **{f"own/{name}.py": "" for name in ("click", "random", "six", "typing", "types_of_mine")},
    **{f"own/{name}.py": "" for name in ("jinja2", "logging", "functools")},
    "package/__init__.py": "VALUE = 5\n",
    "package/__main__.py": MAIN,
    "package/module.py": MAIN,
    "package/show.py": SHOW,
    "package/failing.py": "def f():\n    1 / 0\nf()\n",
    "bare/__init__.py": "",
    "bad/__init__.py": "def f():\n    1 / 0\nf()\n",
    "bad/module.py": "",
    "bad_import/__init__.py": "import there_is_none\n",
    "bad_import/__main__.py": "",
    "circular.py": "import sys, circular\nprint(__name__, circular is sys.modules['__main__'])\n",
    "app/__main__.py": "import sys, beside\nprint(sys.argv, sys.path[0], beside.VALUE)\n" + SHOW,
    "app/beside.py": "VALUE = 6\n",
    "failing_app/__main__.py": "import beside\n",
    "failing_app/beside.py": "def f():\n    raise ValueError('here')\nf()\n",
    "empty_folder/file.txt": "",
    "empty.py": "",
    "syntax.py": "x = = 1\n",
    "indent.py": "if True:\n        x = 1\n    y = 2\n",
    "nul.py": "x = 1\0\n",
    "bom.py": "\ufeffprint('caf\xe9')\n",
    "cookie.py": "# -*- coding: latin-1 -*-\nprint('caf\xe9')\n",
    "bad_cookie.py": "# -*- coding: no-such-coding -*-\n",
    "future.py": "from __future__ import annotations\n"
    "def f(x: int): ...\nprint(f.__annotations__)\n",
    "no_future.py": "def f(x: int): ...\nprint(f.__annotations__)\n",
    "hook.py": "import sys\nsys.excepthook = lambda *e: print('hooked', e[:2])\n1 / 0\n",
    "bad_hook.py": "import sys\ndef hook(*e):\n    {}[1]\nsys.excepthook = hook\n1 / 0\n",
    "last.py": "import atexit, sys\natexit.register(lambda: print(sys.last_value))\n1 / 0\n",
    "bad_atexit.py": "import atexit\natexit.register(lambda: 1 / 0)\n",
    "deleted.py": "class A:\n    def __del__(self):\n        1 / 0\nA()\n",
    "pickled.py": "import pickle\nclass A: x = 1\nprint(pickle.dumps(A()))\n",
    "hints.py": "import typing, dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'A'\n"
    "print(typing.get_type_hints(A))\n",
    "tests.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
    "        self.assertEqual(1, 1)\nif __name__ == '__main__':\n    unittest.main(argv=['x'])\n",
    "docs.py": '"""\n>>> 1 + 1\n3\n"""\nimport doctest\ndoctest.testmod()\n',
    "arguments.py": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--lr', type=int)\n"
    "print(p.parse_args())\n",
    "asynchronous.py": "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1 / 0\n"
    "asyncio.run(f())\n",
    "reads.py": "print(input(), input())\n",
    "again.py": "import os, sys\nif len(sys.argv) < 3:\n    sys.stdout.flush()\n"
    "    os.execv(sys.executable, [sys.executable, *sys.argv, 'x'])\nprint(sys.argv)\n",
    "children.py": "import subprocess, sys\nfor c in ('print(1)', '1 / 0'):\n"
    "    print(subprocess.run([sys.executable, '-c', c], stderr=-2, stdout=-1, text=True))\n",
    "forks.py": "import os, sys\nprint('before', flush=True)\nif not os.fork():\n    sys.exit(4)\n"
    "print(os.waitstatus_to_exitcode(os.wait()[1]))\n",
    "signals.py": "import os, signal\nsignal.signal(signal.SIGINT, lambda *a: print('own', a[0]))\n"
    "os.kill(os.getpid(), signal.SIGINT)\nprint(signal.getsignal(signal.SIGPIPE),\n"
    "    signal.getsignal(signal.SIGTERM))\n",
    "executor.py": "from concurrent.futures import ProcessPoolExecutor as P\n"
    "import multiprocessing as m\n"
    "def f(x): return A(x)\nclass A:\n    def __init__(self, x): self.x = x\n"
    "if __name__ == '__main__':\n    with P(1, mp_context=m.get_context('spawn')) as p:\n"
    "        print([type(r) is A for r in p.map(f, [1, 2])])\n",
    "reload.py": "import importlib, sys\nsys.path.insert(0, 'app')\nimport beside\n"
    "print(importlib.reload(beside) is beside, beside.__spec__)\n",
    "runs.py": "import runpy\nprint(sorted(runpy.run_path('show.py', run_name='other'))[:3])\n",
    "output.py": "import sys\nfor i in range(20000): print(i)\n",
    "no_tensorflow.py": "try:\n    import no_such_tensorflow\n"
    "except ImportError as e:\n    print(repr(e))\n"
    "import importlib.util as u\n"
    "print(u.find_spec('no_such_tensorflow'), u.find_spec('json').name)\n",
    "warns.py": "import warnings\nwarnings.warn('a warning')\n"
    "warnings.warn('old', DeprecationWarning)\n",
    "sitecustom/sitecustomize.py": "import sys\nprint('own sitecustomize', __name__)\n",
    "sitecustom/usercustomize.py": "",
    "shebang.py": "#!/usr/bin/env python this is skipped = = by -x\nprint('after')\n",
    "lines.txt": "first\nsecond\n",
}
"""What each program finds around it."""

LINES = """\
$PYTHON show.py
$PYTHON show.py -m a --b -c "two words" '' -
$PYTHON ./show.py
$PYTHON sub/../show.py
$PYTHON "$PWD/show.py"
$PYTHON link.py
$PYTHON linked_folder/show.py
cd sub && $PYTHON ../show.py
cd sub && $PYTHON show.py
$PYTHON - a b < show.py
$PYTHON -u - < show.py
$PYTHON /dev/stdin a < show.py
cat show.py | $PYTHON /dev/stdin
$PYTHON <(echo 'import sys; print(len(sys.argv), __name__)') a
$PYTHON fifo & started=$!; cat no_future.py > fifo; wait $started
$PYTHON -c 'import sys; print(sys.argv, __name__, sys.path[0])' -x a
$PYTHON -c"$(cat show.py)"
$PYTHON -c '1 / 0'
$PYTHON -c 'x = = 1'
$PYTHON -c ''
$PYTHON -Bc 'print(1)'
$PYTHON -m show a -m
$PYTHON -mshow a
$PYTHON -Bm show
$PYTHON -m package a
$PYTHON -m package.module
$PYTHON -m package.show
$PYTHON -m package.failing
$PYTHON -m package.missing
$PYTHON -m bare
$PYTHON -m bad.module
$PYTHON -m bad
$PYTHON -m bad_import
$PYTHON -m missing
$PYTHON -m missing.module
$PYTHON -m show.py
$PYTHON -m circular
$PYTHON -m json.tool < lines.txt
$PYTHON -m calendar 2026 1
$PYTHON -m this
$PYTHON -m unittest tests
$PYTHON -m doctest docs.py
$PYTHON -m pdb ends.py 'nested()' < /dev/null
$PYTHON -m pdb -c continue ends.py '1' < /dev/null
$PYTHON -m cProfile ends.py '1' | grep -c ends.py
$PYTHON -m trace --trace no_future.py
$PYTHON -m site
$PYTHON -m timeit -n 1 -r 1 pass | grep -c loop
$PYTHON -m
$PYTHON -c
$PYTHON app a
$PYTHON app/
$PYTHON failing_app
$PYTHON empty_folder
$PYTHON app.zip a
$PYTHON app.pyz a
$PYTHON failing.zip
$PYTHON empty.zip
$PYTHON compiled.pyc a
$PYTHON compiled_failing.pyc
$PYTHON bad.pyc
$PYTHON missing.py
$PYTHON missing/missing.py
$PYTHON lines.txt
$PYTHON empty.py
$PYTHON syntax.py
$PYTHON indent.py
$PYTHON nul.py
$PYTHON bom.py
$PYTHON cookie.py
$PYTHON bad_cookie.py
$PYTHON future.py
$PYTHON no_future.py
$PYTHON -O show.py
$PYTHON -OO show.py
$PYTHON -B -q -b -d show.py
$PYTHON -s show.py
$PYTHON -x shebang.py
$PYTHON -W error warns.py
$PYTHON -Werror::DeprecationWarning warns.py
$PYTHON -X dev show.py
$PYTHON -X utf8=1 -W ignore show.py
$PYTHON -X frozen_modules=off show.py
$PYTHON -X importtime -c '' 2>&1 | grep -c encodings.utf_8
$PYTHON -z show.py
$PYTHON -V
$PYTHON -i no_future.py < /dev/null
$PYTHON -i -c '1 / 0' < lines.txt
PYTHONINSPECT=1 $PYTHON no_future.py < /dev/null
PYTHONSAFEPATH=1 $PYTHON show.py
PYTHONSAFEPATH=1 $PYTHON -m json.tool < lines.txt
PYTHONWARNINGS=error $PYTHON warns.py
PYTHONWARNINGS=default $PYTHON warns.py
PYTHONOPTIMIZE=2 $PYTHON show.py
PYTHONUNBUFFERED=1 $PYTHON show.py
PYTHONUTF8=1 $PYTHON show.py
PYTHONIOENCODING=ascii:replace $PYTHON bom.py
PYTHONDEVMODE=1 $PYTHON show.py
PYTHONNOUSERSITE=1 $PYTHON show.py
PYTHONHASHSEED=0 $PYTHON -c 'print(hash("a"))'
PYTHONPATH="sub:$PYTHONPATH" $PYTHON show.py
PYTHONPATH="$PWD/sitecustom:$PYTHONPATH" $PYTHON show.py
PYTHONPATH=":$PYTHONPATH" $PYTHON show.py
PYTHONFAULTHANDLER=1 $PYTHON -c 'import faulthandler; print(faulthandler.is_enabled())'
PYTHONBREAKPOINT=0 $PYTHON -c 'breakpoint(); print("on")'
PYTHONPLATLIBDIR=lib LC_ALL=C $PYTHON show.py
{ends}
$PYTHON spawn.py fork
$PYTHON spawn.py spawn
$PYTHON spawn.py forkserver
$PYTHON -m spawn spawn
$PYTHON -m spawn forkserver
cd sub && $PYTHON ../spawn.py spawn
$PYTHON executor.py
$PYTHON atexits.py
$PYTHON -m atexits
$PYTHON - < atexits.py
$PYTHON frames.py
$PYTHON -m frames
$PYTHON -W always frames.py
$PYTHON own/main.py
cd own && $PYTHON -m main
$PYTHON hook.py
$PYTHON bad_hook.py
$PYTHON last.py
$PYTHON bad_atexit.py
$PYTHON deleted.py
$PYTHON pickled.py
$PYTHON hints.py
$PYTHON docs.py
$PYTHON arguments.py --lr x
$PYTHON arguments.py --help
$PYTHON -m arguments --help
$PYTHON asynchronous.py
$PYTHON reads.py < lines.txt
$PYTHON reads.py < /dev/null
$PYTHON show.py <&-
$PYTHON again.py
$PYTHON again.py one
$PYTHON children.py
$PYTHON forks.py
$PYTHON signals.py
$PYTHON reload.py
$PYTHON runs.py
$PYTHON output.py | head -1; echo "${{PIPESTATUS[@]}}"
$PYTHON output.py >&-
$PYTHON output.py > /dev/full
$PYTHON no_tensorflow.py
$PYTHON -c 'import compat_lossscale, sys; print("tensorflow" in sys.modules)'
$PYTHON -c 'import os; print(sorted(os.listdir("/proc/self/fd")))'
timeout --signal INT 1 $PYTHON -c 'import time; time.sleep(30)'
timeout --signal TERM 1 $PYTHON -c 'import time; time.sleep(30)'
(ulimit -n 64; $PYTHON -c 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))')
"""
ENDINGS = """\
1|sys.exit()|sys.exit(0)|sys.exit(7)|sys.exit(256)|sys.exit(-1)|sys.exit(None)|sys.exit(True)
sys.exit('message')|sys.exit('')|sys.exit((1, 2))|sys.exit(1.5)|sys.exit(2**40)|exec('raise Own(5)')
1 / 0|chained()|nested()|deep()|noted()
raising()|interrupted()|left()|killed('SIGTERM')|killed('SIGKILL')|thread(nested)|thread(sys.exit)|thread(raising)
""".replace("\n", "|")
