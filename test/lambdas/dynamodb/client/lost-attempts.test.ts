import { beforeEach, describe, expect, test } from "vitest";
import { connect } from "../../../../lambdas/domain/create-stores.ts";
import { keys as table } from "../../../../lambdas/domain/keys/keys-table.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import { updatedAttributes } from "../../../../tools/support/updated-item.ts";
import { hourMs, inMs } from "../../../kit/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import type { AwsRequest, StubAnswer } from "../../../support/aws-stub.ts";
import { useDynamoDBStub } from "../../support/dynamodb-stub.ts";
import { apiErrorOf } from "../../support/outcomes.ts";

type Response = StubAnswer | ((request: AwsRequest) => StubAnswer);

let responses: (Response | "lost")[];
let skew: number;
const stub = useDynamoDBStub((request) => {
  const response = responses.shift();
  if (response === undefined || response === "lost") return null;
  const { headers, ...rest } = typeof response === "function" ? response(request) : response;
  return { ...rest, headers: { date: new Date(Date.now() + skew).toUTCString(), ...headers } };
});

const pair = { key_id: "1", v_code: "v".repeat(64) };
/** Another client's key, just created by a clock that is ahead. */
const taken = toItem({ ...pair, v_code: "w".repeat(64), created_at: inMs(hourMs), updated_at: inMs(hourMs) });

const error = (name: string, more: object = {}): StubAnswer => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "Signature expired: No.", ...more },
});
const refused = error("ConditionalCheckFailedException", { Item: taken });
const create = () => openStore(table, { client: connect().client, tableName: "keys" }).create(pair, author);

describe.for([0, 239_000, 250_000, -250_000, 86_400_000, -86_400_000])(
  "if DynamoDB's clock is %i ms ahead",
  (ahead) => {
    beforeEach(() => {
      skew = ahead;
    });

    test("reports a failed condition without a retry", async () => {
      responses = [refused];
      expect(await create()).toEqual({ outcome: "taken" });
      expect(stub().requests).toHaveLength(1);
    });

    test.for(["InvalidSignatureException", "ProvisionedThroughputExceededException", "ThrottlingException"])(
      "reports a failed condition after %s",
      async (name) => {
        responses = [error(name), refused];
        expect(await create()).toEqual({ outcome: "taken" });
      },
    );

    test.for<[string, Response | "lost"]>([
      ["no response", "lost"],
      ["a failure", { status: 500, body: error("InternalServerError").body }],
      ["an exception of the service", { status: 503, body: error("ServiceUnavailableException").body }],
      ["a damaged response", { body: "{" }],
      ["a proxy's response", { status: 408, body: { message: "No." } }],
    ])(
      "reports a call as unavailable if a condition fails after %s, because an earlier attempt may have succeeded",
      async ([, first]) => {
        responses = [first, refused, refused];
        expect((await apiErrorOf(create())).code).toBe("unavailable");
      },
    );

    test("a success whose response was lost is recognised by the stored item", async () => {
      let stored: object = {};
      responses = [
        (request) => {
          stored = updatedAttributes(request.body);
          return { body: "{" };
        },
        () => error("ConditionalCheckFailedException", { Item: stored }),
      ];
      expect(await create()).toMatchObject({ outcome: "unchanged", key: pair });
    });
  },
);
