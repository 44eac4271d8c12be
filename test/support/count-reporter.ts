import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** A sentence for the end of the run. */
    summary?: string;
  }
}

/** Ends a run with plain lines: the tests' notes, any skipped tests with the reasons, and the count, which `npm test` prints. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const results = tests.map((test) => test.result());
    const summaries = tests.flatMap((test) => test.meta().summary ?? []);
    const notes = Map.groupBy(
      results.flatMap((result) => (result.state === "skipped" && result.note ? [result.note] : [])),
      (note) => note,
    );
    const { TEST_COUNT_FILE: file } = process.env;
    const passed = results.filter(({ state }) => state === "passed").length;
    const failures = [...modules.flatMap(failuresOf), ...errors.map(firstLine)];
    if (file) writeFileSync(file, `${JSON.stringify({ passed, failures })}\n`);
    process.once("exit", () => {
      for (const summary of summaries) process.stdout.write(`${summary}\n`);
      for (const [note, { length }] of notes) process.stdout.write(`Left out ${length} tests: ${note}\n`);
      if (!file) process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
    });
  }
}

const firstLine = ({ message }: { message: string }): string => message.split("\n", 1).join("");

/** A line for each failed test of a module, or one for a module that could not be loaded or whose hook failed. */
const failuresOf = (module: TestModule): string[] => {
  const describe = (name: string, errors: readonly SerializedError[] = []): string =>
    [module.relativeModuleId, name, ...errors.slice(0, 1).map(firstLine)].filter(Boolean).join(": ");
  const failed = [...module.children.allTests("failed")].map((test) => describe(test.fullName, test.result().errors));
  if (failed.length > 0 || module.state() !== "failed") return failed;
  return [describe("", module.errors())];
};
