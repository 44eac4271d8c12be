import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { summaryOf } from "../../local/summary.ts";

const service = {
  baseUrl: "http://127.0.0.1:3000",
  invokeUrl: "http://127.0.0.1:3001",
  dynamodbUrl: "http://127.0.0.1:3002",
  loginUrl: "http://127.0.0.1:3003",
  logins: [
    { username: "admin@example.com", password: "hx3k-9mwp-t4vq-c7dn", groups: ["Admin"] },
    { username: "root@example.com", password: "aaaa-bbbb-cccc-dddd", groups: [] },
  ],
};
const facts = { token: undefined, dataDirectory: ".local", port: 3000, seconds: 2 };

test("every start prints who can sign in and where", () => {
  const summary = stripVTControlCharacters(summaryOf(service, facts));

  expect(summary).toContain("Web interface      http://127.0.0.1:3000/\n");
  expect(summary).toContain("Login              http://127.0.0.1:3003\n");
  expect(summary).toContain(
    "  Sign in at http://127.0.0.1:3000/ with one of these names and passwords:\n" +
      "  admin@example.com  hx3k-9mwp-t4vq-c7dn  Admin\n" +
      "  root@example.com   aaaa-bbbb-cccc-dddd  in no group\n" +
      "  They stay the same, and are also in .local/login.json.\n",
  );
});

test("a stack without a user pool does not mention a login", () => {
  const summary = summaryOf({ ...service, loginUrl: undefined, logins: [] }, facts);

  expect(summary).not.toMatch(/sign in|login|web interface/i);
});

test("every start prints where sent notices are, and how to let days pass in this very service", () => {
  const summary = stripVTControlCharacters(summaryOf(service, { ...facts, port: 4000 }));

  expect(summary).toContain("Sent notices       http://127.0.0.1:3001/sent\n");
  expect(summary).toContain("  Let days pass:  PORT=4000 npm run days -- 31\n");
});
