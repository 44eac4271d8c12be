import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** A sentence for the end of the run. */
    summary?: string;
  }
}

/** Ends a run with plain lines: the tests' notes, any skipped tests with the reasons, and the count, which `npm test` prints. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const results = tests.map((test) => test.result());
    const summaries = tests.flatMap((test) => test.meta().summary ?? []);
    const count = (state: string) => results.filter((result) => result.state === state).length;
    const brokenModules = modules.filter((module) => module.state() === "failed" && !hasFailedTest(module)).length;
    const notes = Map.groupBy(
      results.flatMap((result) => (result.state === "skipped" && result.note ? [result.note] : [])),
      (note) => note,
    );
    const { TEST_COUNT_FILE: file } = process.env;
    const passed = count("passed");
    const failed = count("failed") + brokenModules + errors.length;
    if (file) writeFileSync(file, `${passed} ${failed}\n`);
    process.once("exit", () => {
      for (const summary of summaries) process.stdout.write(`${summary}\n`);
      for (const [note, { length }] of notes) process.stdout.write(`Left out ${length} tests: ${note}\n`);
      if (!file) process.stdout.write(`${passed} passed, ${failed} failed\n`);
    });
  }
}

/** A module that fails without a failed test could not be loaded, or a hook failed. */
const hasFailedTest = (module: TestModule): boolean =>
  [...module.children.allTests()].some((test) => test.result().state === "failed");
