import { describe, expect, test } from "vitest";
import { pythonPath } from "../../src/support/python.ts";
import { functionResources, writeAssembly } from "../support/assemblies.ts";
import { sharedService } from "../support/services.ts";

const code = {
  about: `import os, logging
logging.getLogger().setLevel(logging.INFO)
def handler(event, context):
    print("printed")
    logging.info("logged")
    remaining = context.get_remaining_time_in_millis()
    return {"event": event, "arn": context.invoked_function_arn, "remaining": remaining, "variables": dict(os.environ)}`,
  thrower: "def handler(event, context):\n    raise ValueError('too late')",
  slow: "import time\ndef handler(event, context):\n    time.sleep(event['seconds'])\n    return 'done'",
  "missing-module": "import nothing_like_this",
  "no-handler": "other = 1",
  "syntax-error": "def handler(:",
  "not-json": "def handler(event, context):\n    return {1, 2}",
  exit: "import os\ndef handler(event, context):\n    os._exit(3)",
};

describe.skipIf(pythonPath() === undefined)("a Python function", () => {
  const service = sharedService(async (directory) => {
    const functions = Object.entries(code).map(([name, ZipFile]) =>
      functionResources(name, { properties: { Code: { ZipFile }, Runtime: "python3.13", Timeout: 0.5 } }),
    );
    return { assembly: await writeAssembly(directory, { resources: Object.assign({}, ...functions) }) };
  });

  test("gets its event, its context and Lambda's variables, but none of this process", async () => {
    const { payload, log } = await service().invoke("about", { name: "Zoë" });
    const { variables, remaining, ...rest } = JSON.parse(payload);

    expect(rest).toEqual({ event: { name: "Zoë" }, arn: "arn:aws:lambda:us-east-1:000000000000:function:about" });
    expect(remaining).toBeGreaterThan(0);
    expect(variables).toMatchObject({ AWS_EXECUTION_ENV: "AWS_Lambda_python3.13", AWS_ACCESS_KEY_ID: "about" });
    expect(variables).not.toHaveProperty("PATH");
    expect(log).toMatch(/^printed\n\[INFO\]\t\S+Z\t[0-9a-f-]{36}\tlogged\n$/);
  });

  test.each([
    ["thrower", "ValueError", "too late"],
    ["missing-module", "Runtime.ImportModuleError", "Unable to import module 'index': No module named"],
    ["no-handler", "Runtime.HandlerNotFound", "Handler 'handler' missing on module 'index'"],
    ["syntax-error", "Runtime.UserCodeSyntaxError", "Syntax error in module 'index'"],
    ["not-json", "Runtime.MarshalError", "Unable to marshal response: Object of type set is not JSON serializable"],
    ["exit", "Runtime.ExitError", "Runtime exited with error: exit status 3"],
  ])("that fails as %s returns Lambda's error type", async (name, errorType, message) => {
    const { failed, payload } = await service().invoke(name, {});
    const { stackTrace, ...error } = JSON.parse(payload);

    expect({ failed, ...error }).toMatchObject({ failed: true, errorType });
    expect(error.errorMessage).toContain(message);
    if (name === "thrower")
      expect(stackTrace).toEqual([expect.stringMatching(/index\.py", line 2, in handler\n {4}raise/)]);
  });

  test("that exceeds its timeout is stopped, and the next call gets a new one", async () => {
    const { payload } = await service().invoke("slow", { seconds: 30 });

    expect(JSON.parse(payload).errorType).toBe("Sandbox.Timedout");
    expect((await service().invoke("slow", { seconds: 0 })).payload).toBe('"done"');
  });
});
