import { describe, expect, test } from "vitest";
import * as actions from "../../../lambdas/admin/actions.ts";
import { readCommand } from "../../../local/admin/read-command.ts";

const names = Object.keys(actions).toSorted().join(", ");

test.each([
  [["list", "limit=10"], { action: "list", limit: 10 }],
  [["update", "token_id=01J", "rate_limit=600"], { action: "update", token_id: "01J", rate_limit: 600 }],
  [["update", "token_id=01J", "rate_limit=null"], { action: "update", token_id: "01J", rate_limit: null }],
  [["update", "token_id=01J", "rate_limit=many"], { action: "update", token_id: "01J", rate_limit: "many" }],
  [["update", "token_id=01J", "rate_limit=0x10"], { action: "update", token_id: "01J", rate_limit: "0x10" }],
  [["issue", "ip=127.0.0.1", "expires_at=null"], { action: "issue", ip: "127.0.0.1", expires_at: null }],
  [["issue", "ip=127.0.0.1", "comment=7=null"], { action: "issue", ip: "127.0.0.1", comment: "7=null" }],
  [["issue", "ip=127.0.0.1", "comment=a\nb"], { action: "issue", ip: "127.0.0.1", comment: "a\nb" }],
  [["get_key", "key_id=--help"], { action: "get_key", key_id: "--help" }],
])("the command line %j becomes the event %j", (words, event) => {
  expect(readCommand(words, actions)).toEqual({ event });
});

test("an invocation names its user unless the command line names another person", () => {
  expect(readCommand(["list"], actions, "alice")).toEqual({ event: { action: "list", invoked_by: "alice" } });
  expect(readCommand(["list", "invoked_by=Bob B."], actions, "alice")).toEqual({
    event: { action: "list", invoked_by: "Bob B." },
  });
});

describe("sends nothing if the command line is wrong", () => {
  test.each([
    ["no action", [], /^Which action\?$/],
    ["an unknown action", ["wibble"], new RegExp(`^There is no action "wibble"\\. The actions are ${names}, and help`)],
    ["a prototype as the action", ["__proto__"], /^There is no action "__proto__"\./],
    ["an action with invisible characters", ["li\u202est\u001b"], /^There is no action "li\\u202est\\u001b"\. The/],
    ["an unknown field", ["list_keys", "limt=5"], /no field "limt"\. Its fields: limit, cursor, prefix, invoked_by\.$/],
    ["an option instead of a field", ["list", "--limit=5"], /^The action list has no field "--limit"\. Its fields:/],
    ["the action as a field", ["list", "action=get"], /^The action list has no field "action"\./],
    ["a word without =", ["issue", "127.0.0.1"], /^"127\.0\.0\.1" is not a field\. Write FIELD=VALUE,/],
    ["a field given twice", ["issue", "ip=10.0.0.1", "ip=10.0.0.2"], /^The field ip is given twice\./],
    ["help with an unknown action", ["help", "lst"], /^There is no action "lst"\. The actions/],
  ])("%s", (_, words, message) => {
    expect(() => readCommand(words, actions)).toThrow(
      expect.objectContaining({ name: "CommandError", message: expect.stringMatching(message), exitCode: 2 }),
    );
  });
});

test.each([
  [["help"], undefined],
  [["--help"], undefined],
  [["help", "list"], "list"],
  [["list", "--help"], "list"],
  [["list", "limit=5", "-h"], "list"],
])("%j requests help", (words, help) => {
  expect(readCommand(words, actions)).toEqual({ help });
});
