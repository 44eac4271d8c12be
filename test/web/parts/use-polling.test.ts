import { expect, test } from "vitest";
import { ApiFailure } from "../../../web/api/api-failure.ts";
import { intervalOf } from "../../../web/parts/app-context.tsx";

test.each([
  ["as often as its data says", "loaded", null, 500],
  ["after a failure as well", "loaded", new ApiFailure({ status: 503 }), 500],
  ["not before anything is loaded", undefined, null, false],
  [
    "not after a refusal, which would remind the user to sign in again",
    "loaded",
    new ApiFailure({ status: 401 }),
    false,
  ],
])("a query repeats itself %s", (_, data, error, expected) => {
  expect(intervalOf<string>({ state: { data, error } }, ({ length }) => (length === 6 ? 500 : 1))).toBe(expected);
});
