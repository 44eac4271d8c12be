import { describe, expect, test } from "vitest";
import { verifyAdmin } from "../../../lambdas/middlewares/verify-admin.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { runBefore } from "../support/events.ts";
import { apiErrorOf } from "../support/outcomes.ts";

const alice = { token_use: "access", username: "alice@example.com" };

const verify = (claims?: Record<string, unknown>) => runBefore(verifyAdmin(), apiEvent({ claims }));
const codeOf = async (claims?: Record<string, unknown>) => (await apiErrorOf(verify(claims))).code;

describe("a signed-in user", () => {
  test.for([
    "[Admin]",
    "[Superuser]",
    "[Admin Superuser]",
    "[guests Superuser]",
    "[Admin guests]",
    "[x,y Admin [z] Ωmega]",
  ])("in the groups %o is admitted, and the request has the user's name", async (groups) => {
    expect((await verify({ ...alice, "cognito:groups": groups })).actor).toBe("alice@example.com");
  });

  test.for([
    ...[undefined, "", "[]", "[guests]", "[admin]", "[Administrators]", "[NotAdmin Admins]", "[guests Ad[min]"],
    ...["[Ad]min guests]", "[x,Admin]", "[Admin,x]", "[guests, Admin,]", "[Admin;x Admin|x Admin/x]"],
    ...["[guests\tAdmin]", "[guests\nAdmin]", "[guests\u00a0Admin]", "[[Admin]]", "[[Admin Superuser]]", "Admin"],
    ...["Admin Superuser", "Admin,Superuser", "[Admin", "[Admin)", "(Admin]", "Admin]", " [Admin]", "[Admin] "],
    ...["[", "]", '["Admin"]', "{Admin}", { Admin: true }, null, true, 7],
  ])("in the groups %o is refused", async (groups) => {
    expect(await codeOf({ ...alice, "cognito:groups": groups })).toBe("group_required");
  });

  test("in a list of groups, which API Gateway passes as text, is refused", async () => {
    for (const groups of [[], ["guests", "Admin"]]) {
      expect(await codeOf({ ...alice, "cognito:groups": groups })).toBe("group_required");
    }
  });
});

describe("nobody is admitted", () => {
  const admin = { ...alice, "cognito:groups": "[Admin]" };

  test.for([
    ["without an authorizer's claims", undefined],
    ["with an ID token", { ...admin, token_use: "id" }],
    ["with a token that has no token_use", { ...admin, token_use: undefined }],
    ["without a name", { ...admin, username: undefined }],
    ["with an empty name", { ...admin, username: "" }],
    ["with a name that is not a string", { ...admin, username: 7 }],
    ["with half of a surrogate pair in the name", { ...admin, username: "alice\ud800" }],
    ["with a control character in the name", { ...admin, username: "alice\n" }],
    ["with a space in the name", { ...admin, username: "alice smith" }],
    ["with a name of 129 characters", { ...admin, username: "a".repeat(129) }],
  ] as const)("%s", async ([, claims]) => {
    expect(await codeOf(claims)).toBe("sign_in_required");
  });

  test.for([undefined, {}])("on a route whose authorizer provides nothing: %o", async (authorizer) => {
    const event = apiEvent();
    const requestContext = { ...event.requestContext, authorizer };
    expect((await apiErrorOf(runBefore(verifyAdmin(), { ...event, requestContext }))).code).toBe("sign_in_required");
  });

  test("on the strength of claims in a client's headers", async () => {
    const event = apiEvent({ headers: { authorizer: JSON.stringify({ jwt: { claims: admin } }) } });
    expect((await apiErrorOf(runBefore(verifyAdmin(), event))).code).toBe("sign_in_required");
  });
});
