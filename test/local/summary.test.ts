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
const facts = { token: undefined, dataDirectory: ".local", port: 4000, seconds: 2 };

test("every start prints who can sign in and where, and how to move this service's clock", () => {
  const summary = stripVTControlCharacters(summaryOf(service, facts));

  for (const part of [
    "Web interface      http://127.0.0.1:3000/\n",
    "Login              http://127.0.0.1:3003\n",
    "  admin@example.com  hx3k-9mwp-t4vq-c7dn  Admin\n  root@example.com   aaaa-bbbb-cccc-dddd  in no group\n",
    "  Let days pass:  PORT=4000 npm run days -- 31\n",
  ]) {
    expect(summary).toContain(part);
  }
});
