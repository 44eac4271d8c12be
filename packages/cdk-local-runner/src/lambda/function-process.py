# One execution environment of a Python function, in a separate process. It reads calls from standard input and reports
# on descriptor 3, with one JSON text per line, as in execution-environment.ts. The errors match AWS's
# aws-lambda-python-runtime-interface-client.

import decimal
import importlib
import io
import json
import logging
import os
import signal
import sys
import time
import traceback

channel = os.fdopen(3, "w", buffering=1, encoding="utf-8")
environment = os.environ
request_id = ""


def send(**message):
    channel.write(json.dumps(message) + "\n")


class Log(io.TextIOBase):
    # Uses the reporting channel instead of a separate stream, so that a call's lines arrive before its result.
    def write(self, text):
        send(kind="log", text=text)
        return len(text)


class Context:
    function_name = environment["AWS_LAMBDA_FUNCTION_NAME"]
    function_version = environment["AWS_LAMBDA_FUNCTION_VERSION"]
    memory_limit_in_mb = environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
    log_group_name = environment["AWS_LAMBDA_LOG_GROUP_NAME"]
    log_stream_name = environment["AWS_LAMBDA_LOG_STREAM_NAME"]
    invoked_function_arn = sys.argv[1]
    client_context = identity = None

    def __init__(self, call):
        self.aws_request_id = call["requestId"]
        self.deadline = call["deadline"]

    def get_remaining_time_in_millis(self):
        return max(0, int(self.deadline - time.time() * 1000))


class Fault(Exception):
    """A failure reported by the runtime rather than by the function's code."""


class RequestId(logging.Filter):
    def filter(self, record):
        record.aws_request_id = request_id
        return True


def failure_of(error):
    if isinstance(error, Fault):
        kind, message = error.args
        trace = []
    else:
        kind, message = type(error).__name__, str(error)
        frames = traceback.extract_tb(error.__traceback__)
        trace = traceback.format_list([frame for frame in frames if frame.filename != __file__])
    send(kind="log", text="".join([f"[ERROR] {kind}: {message}\nTraceback (most recent call last):\n", *trace]))
    return json.dumps({"errorMessage": message, "errorType": kind, "requestId": request_id, "stackTrace": trace})


def load():
    module_name, _, name = environment["_HANDLER"].rpartition(".")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        hint = ". Lambda provides it: install it here" if (error.name or "").startswith("boto") else ""
        raise Fault("Runtime.ImportModuleError", f"Unable to import module '{module_name}': {error}{hint}") from error
    except SyntaxError as error:
        raise Fault("Runtime.UserCodeSyntaxError", f"Syntax error in module '{module_name}': {error}") from error
    if not hasattr(module, name):
        raise Fault("Runtime.HandlerNotFound", f"Handler '{name}' missing on module '{module_name}'")
    return getattr(module, name)


def number(value):
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def answer(call):
    result = handler(json.loads(call["payload"]), Context(call))
    try:
        return json.dumps(result, ensure_ascii=False, default=number)
    except (TypeError, ValueError) as error:
        raise Fault("Runtime.MarshalError", f"Unable to marshal response: {error}") from error


# Ctrl-C reaches this process too. The run ends this process after a call in progress has had a moment to finish.
signal.signal(signal.SIGINT, signal.SIG_IGN)
calls, sys.stdin = sys.stdin, io.StringIO()
sys.stdout = sys.stderr = Log()
sys.path[0] = environment["LAMBDA_TASK_ROOT"]
log_format = "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s"
logging.basicConfig(format=log_format, datefmt="%Y-%m-%dT%H:%M:%S")
logging.getLogger().handlers[0].addFilter(RequestId())
try:
    handler = load()
except Exception as error:
    send(kind="failed", error=failure_of(error), fatal=True)
    sys.exit(1)
send(kind="ready")
for line in calls:
    call = json.loads(line)
    request_id = call["requestId"]
    try:
        send(kind="succeeded", payload=answer(call))
    except Exception as error:
        send(kind="failed", error=failure_of(error), fatal=False)
