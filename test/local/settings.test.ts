import { resolve } from "node:path";
import { LocalError, Refusal } from "cdk-local-runner";
import { expect, test } from "vitest";
import { failureText, readSettings } from "../../local/settings.ts";

test("the service uses port 3000 and the folder .local by default", () => {
  expect(readSettings({})).toMatchObject({ port: 3000, dataDirectory: resolve(".local") });
});

test.each(["http", "65532", "0", "3000.5"])("rejects PORT=%s with instructions", (PORT) => {
  expect(() => readSettings({ PORT })).toThrow(
    /^PORT is .*, which is not a whole number from 1 to 65531: choose one, such as PORT=4000 npm start\.$/,
  );
});

test("uses an external DynamoDB with the keys and the region of the AWS variables", () => {
  const endpoint = "http://127.0.0.1:8000";
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret", AWS_REGION: "eu-central-1" };
  const session = { AWS_SESSION_TOKEN: "session" };

  expect(readSettings({ AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...keys, ...session }).externalDatabase).toEqual({
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "session" },
  });
  expect(readSettings({ AWS_ENDPOINT_URL_DYNAMODB: endpoint }).externalDatabase).toEqual({
    endpoint,
    region: "us-east-1",
  });
});

test("rejects a DynamoDB address that is not a URL", () => {
  expect(() => readSettings({ AWS_ENDPOINT_URL_DYNAMODB: "127.0.0.1 8000" })).toThrow("which is not a URL such as");
});

test("shows only the message of a failure that the user can fix, and the location of a bug", () => {
  expect(failureText(new LocalError("It failed."))).toBe("It failed.");
  expect(failureText(new TypeError("bug"))).toMatch(/^TypeError: bug\n +at .*settings\.test\.ts/);
  expect(failureText("text")).toBe("text");
});

test("the failure names the line that makes a start leave out what does not run locally", () => {
  const refusal = new Refusal(["Two."], { entries: ["AWS::SQS::Queue", "AWS::S3::Bucket"] });
  expect(failureText(refusal)).toBe(
    'Two.\nTo start without them: serviceApp(…, { leaveOutLocally: ["AWS::SQS::Queue", "AWS::S3::Bucket"] }).',
  );
});
