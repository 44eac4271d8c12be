import type { Reporter, TestModule } from "vitest/node";

/** Ends a run in one plain line: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string) => states.filter((one) => one === state).length;
    const brokenModules = modules.filter((module) => module.state() === "failed" && !hasFailedTest(module)).length;
    process.once("exit", () => {
      process.stdout.write(`${count("passed")} passed, ${count("failed") + brokenModules + errors.length} failed\n`);
    });
  }
}

/** A module that failed without a failed test could not be loaded, or failed in a hook. */
const hasFailedTest = (module: TestModule): boolean =>
  [...module.children.allTests()].some((test) => test.result().state === "failed");
