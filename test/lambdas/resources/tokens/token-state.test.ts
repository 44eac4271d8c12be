import { expect, test } from "vitest";
import { type Phase, phaseGuide, phases } from "../../../../lambdas/resources/tokens/token-state.ts";

test.for(Object.keys(phases) as Phase[])("the documentation says what it means that a token is %s", (phase) => {
  expect(phaseGuide[phase]).toMatch(/^[A-Z].*\.$/);
});
