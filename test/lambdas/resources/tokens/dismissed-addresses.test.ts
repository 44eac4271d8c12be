import { describe, expect, test } from "vitest";
import {
  areDismissedAddresses,
  dismissedIn,
  maxDismissedAddresses,
} from "../../../../lambdas/resources/tokens/dismissed-addresses.ts";

const address = { ip: "203.0.113.9", dismissed_at: "2026-11-21T10:15:30.123Z", dismissed_by: "admin" };
const listOf = (length: number) => Array.from({ length }, () => address);

test("the dismissed addresses of a record are those that it lists, or none", () => {
  expect(dismissedIn({ dismissed_addresses: JSON.stringify([address]) })).toEqual([address]);
  expect(dismissedIn({})).toEqual([]);
});

describe("a stored list of dismissed addresses", () => {
  test.for([1, 2, maxDismissedAddresses])("is valid with %i of them", (length) => {
    expect(areDismissedAddresses(JSON.stringify(listOf(length)))).toBe(true);
  });

  test.for<[string, unknown]>([
    ["empty", []],
    ["too long", listOf(maxDismissedAddresses + 1)],
    ["a single address", address],
    ["null", null],
    ["a text", "203.0.113.9"],
  ])("is not valid if it is %s", ([, value]) => {
    expect(areDismissedAddresses(JSON.stringify(value))).toBe(false);
  });

  test.for<[unknown]>([
    [null],
    ["abc"],
    [1],
    [{ ...address, note: "" }],
    [{ ...address, dismissed_by: undefined }],
    [{ ...address, ip: "203.0.113.009" }],
    [{ ...address, ip: [address.ip] }],
    [{ ...address, ip: 1 }],
    [{ ...address, dismissed_at: "2026-11-21" }],
    [{ ...address, dismissed_at: [address.dismissed_at] }],
    [{ ...address, dismissed_by: 1 }],
  ])("is not valid if it contains %j", ([value]) => {
    expect(areDismissedAddresses(JSON.stringify([address, value]))).toBe(false);
  });

  test("is not valid if it is not JSON", () => {
    expect(areDismissedAddresses("[")).toBe(false);
  });
});
