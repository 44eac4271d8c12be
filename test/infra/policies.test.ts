import { type Application, arnOf, isAllowed, localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { releasedRightsOf } from "../../infra/constructs/released-rights.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import {
  tables as declaredTables,
  mapStores,
  rightsOf,
  type StoreName,
  storeNames,
} from "../../lambdas/domain/built-in-stores.ts";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { readTemplate, type Statement, statementsOf } from "../support/template.ts";

const environment = localAwsEnvironment();
const tables = mapStores((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Table`);
const databaseActions = [
  "GetItem",
  "BatchGetItem",
  "Query",
  "Scan",
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
  "PartiQLSelect",
  "DeleteTable",
  "UpdateTable",
  "CreateBackup",
  "ExportTableToPointInTime",
];

let application: Application;
beforeAll(async () => {
  const baseUrl = "http://127.0.0.1:24000";
  const loginUrl = "http://127.0.0.1:24003";
  application = await readApplication(inject("assemblyDirectory"), { environment, baseUrl, loginUrl });
});

/** The lists of attributes that permissions are limited to. */
const limitedAttributes = storeNames
  .flatMap((store) => rightsOf(store))
  .flatMap((right) =>
    typeof right === "object" && "attributes" in right && right.attributes ? [right.attributes] : [],
  );

/** The table actions that a function's policies allow: on whole items, or only on some attributes. */
const allowedOf = (name: string): string[] => {
  const rights = application.functions.find((definition) => definition.name === name)?.rights ?? [];
  const isGranted = (action: string, table: string, attributes?: readonly string[]) =>
    isAllowed(
      rights,
      `dynamodb:${action}`,
      arnOf(environment, "dynamodb", `table/${table}`),
      attributes && new Set(attributes),
      { "dynamodb:Select": attributes ? "SPECIFIC_ATTRIBUTES" : "" },
    );
  const indexes = Object.entries<AnyTable>(declaredTables).flatMap(([store, { indexes = {} }]) =>
    Object.keys(indexes).map((index) => `${tables[store as StoreName]}/index/${index}`),
  );
  return [...Object.values(tables), ...indexes].flatMap((table) =>
    databaseActions.flatMap((action) => {
      if (isGranted(action, table)) return [`${action} on ${table}`];
      const attributes = limitedAttributes.find((names) => isGranted(action, table, names));
      return attributes ? [`${action} of ${attributes} on ${table}`] : [];
    }),
  );
};

describe("the policies, when simulated for every action on every table", () => {
  test.each(functionsOf(api).map(({ name, uses }) => ({ name, uses })))(
    "allow $name exactly what it declares, and what the last release allowed",
    ({ name, uses }) => {
      const released = releasedRightsOf(name);
      const declared = storeNames.flatMap((store) => {
        const needed = [
          ...rightsOf(store, uses[store] ?? []),
          // A permission for some attributes counts once, whichever of them it names.
          ...released.flatMap(({ stores }) => stores[store] ?? []).filter((right) => typeof right === "string"),
        ];
        return needed.map((right) => {
          if (typeof right === "string") return `${right} on ${tables[store]}`;
          const { action, index, attributes }: { action: string; index?: string; attributes?: readonly string[] } =
            right;
          const place = `${tables[store]}${index === undefined ? "" : `/index/${index}`}`;
          const isWhole = !attributes || (index === undefined && needed.some((other) => other === action));
          return isWhole ? `${action} on ${place}` : `${action} of ${attributes} on ${place}`;
        });
      });

      expect(allowedOf(name).toSorted()).toEqual([...new Set(declared)].toSorted());
    },
  );

  test("allow nothing on indexes, other tables, or the tables of another account or region", () => {
    const elsewhere = [
      arnOf(environment, "dynamodb", "table/KeysTable/index/any"),
      arnOf(environment, "dynamodb", "table/KeysTable2"),
      arnOf({ ...environment, accountId: "123456789012" }, "dynamodb", "table/KeysTable"),
      arnOf({ ...environment, region: "eu-west-1" }, "dynamodb", "table/KeysTable"),
    ];
    for (const { rights } of application.functions) {
      for (const resource of elsewhere) expect(isAllowed(rights, "dynamodb:GetItem", resource)).toBe(false);
    }
  });
});

test("only these functions may change whole items", () => {
  const writers = storeNames.map((store) => {
    const names = functionsOf(api).flatMap(({ name, uses }) =>
      rightsOf(store, (uses[store] ?? []) as never).includes("UpdateItem") ? [name] : [],
    );
    return [store, names.toSorted().join(", ").replaceAll("v1-", "")];
  });
  const ofTokens = "exchange-token, move-token, redeem-invitation, revoke-token, rotate-token";
  expect(Object.fromEntries(writers)).toEqual({
    tokens: `admin, admin-http, ${ofTokens}`,
    keys: "admin, admin-http, create-key, delete-key, replace-key",
    // Every endpoint that counts a token's requests.
    limits:
      "create-key, delete-key, get-key, get-token, list-key-changes, list-keys, move-token, redeem-invitation, replace-key, revoke-token, rotate-token",
    history: "admin, admin-http, notices",
    notices: "notices, usage",
    usage: "usage",
  });
});

describe("the roles' other permissions", () => {
  const others = (statements: Statement[]) =>
    statements.filter(({ actions }) => !actions.every((action) => action.startsWith("dynamodb:")));

  const logs: Readonly<Record<string, RegExp>> = {
    admin: /LogsAdmin\w+","Arn/,
    "admin-http": /LogsAdmin\w+","Arn/,
    "options-guard": /OptionsGuardLog\w+","Arn/,
    notices: /LogsUsage\w+","Arn/,
    usage: /LogsUsage\w+","Arn/,
  };

  test("allow writing to the function's log", async () => {
    const statements = others(statementsOf(await readTemplate())).filter(
      // The permissions of the traffic shift, its check and notices have their own tests.
      ({ functionName, actions }) =>
        functionName !== "Role" &&
        !actions.some((action) => /^(lambda|codedeploy|cloudformation|sns|events):/.test(action)),
    );

    expect(statements).toHaveLength(application.functions.length);
    for (const { functionName, actions, resource } of statements) {
      expect(actions.toSorted()).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
      expect(JSON.stringify(resource)).toMatch(logs[functionName] ?? /LogsRequests\w+","Arn/);
    }
  });

  test("allow a function nothing else: no other service, no wildcards and no managed policies", async () => {
    const template = await readTemplate();
    const functions = new Map(functionsOf(api).map((declared) => [declared.name, declared]));
    for (const { functionName, actions } of statementsOf(template)) {
      const declared = functions.get(functionName);
      // The others are roles of services, which have their own tests.
      if (!declared) continue;
      const services = ["dynamodb", "logs", ...(declared.sendsNotices ? ["sns", "events"] : [])];
      if (declared.kind === "check") services.push("lambda", "cloudformation");
      for (const action of actions)
        expect(action, functionName).toMatch(new RegExp(`^(${services.join("|")}):[A-Za-z]+$`));
    }
    for (const role of template.propertiesOf("AWS::IAM::Role")) {
      // AWS may change its managed policies without notice.
      expect(role).not.toHaveProperty("ManagedPolicyArns");
      if (JSON.stringify(role.AssumeRolePolicyDocument).includes("lambda.amazonaws.com")) {
        expect(role).not.toHaveProperty("Policies");
      }
    }
  });

  test("allow the notifying functions only this stage's topic and event bus, with this source", async () => {
    const sending = statementsOf(await readTemplate()).filter(({ actions }) => /^(sns|events):/.test(String(actions)));
    const source = { StringEquals: { "events:source": "integration-api" } };

    expect(new Set(sending.map(({ functionName }) => functionName))).toEqual(
      new Set(functionsOf(api).flatMap(({ name, sendsNotices }) => (sendsNotices ? [name] : []))),
    );
    for (const { actions, resource, condition } of sending) {
      expect([actions, resource, condition]).toEqual(
        actions.includes("sns:Publish")
          ? [["sns:Publish"], { Ref: "NoticeTopic" }, undefined]
          : [["events:PutEvents"], { "Fn::GetAtt": ["NoticeBus", "Arn"] }, source],
      );
    }
  });
});
