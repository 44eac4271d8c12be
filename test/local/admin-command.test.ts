import { expect, test } from "vitest";
import { eventOf } from "../../local/admin-command.ts";

test.each([
  [["list", "limit=10"], { action: "list", limit: 10 }],
  [["update", "token_id=01J", "rate_limit=600"], { action: "update", token_id: "01J", rate_limit: 600 }],
  [["update", "token_id=01J", "rate_limit=null"], { action: "update", token_id: "01J", rate_limit: null }],
  [["update", "token_id=01J", "rate_limit=many"], { action: "update", token_id: "01J", rate_limit: "many" }],
  [["issue", "ip=127.0.0.1", "comment=7=null"], { action: "issue", ip: "127.0.0.1", comment: "7=null" }],
])("the command line %j becomes the event %j", (words, event) => {
  expect(eventOf(words)).toEqual(event);
});

test("an argument that is not a field is refused, with the correct syntax", () => {
  expect(() => eventOf(["issue", "127.0.0.1"])).toThrow("127.0.0.1 is not a field: write name=value");
});
