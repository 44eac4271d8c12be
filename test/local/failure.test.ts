import { LocalError } from "cdk-local-runner";
import { expect, test } from "vitest";
import { failureText } from "../../local/settings.ts";

test.each([
  ["port", "PORT=4000 npm start"],
  ["dataDirectory", "DATA_DIR=… npm start"],
  ["externalDatabase", "AWS_ENDPOINT_URL_DYNAMODB=… npm start"],
] as const)("a failure that depends on %s shows how to set it", (option, setting) => {
  expect(failureText(new LocalError("It failed.", { option }))).toBe(`It failed.\nTo choose another: ${setting}`);
});

test("any other failure that the user can correct shows only its message, and a bug shows its location", () => {
  expect(failureText(new LocalError("It failed."))).toBe("It failed.");
  expect(failureText(new TypeError("bug"))).toMatch(/^TypeError: bug\n +at .*failure\.test\.ts/);
  expect(failureText("text")).toBe("text");
});
