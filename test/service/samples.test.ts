import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { operationsOf as apiOperationsOf } from "../../lambdas/declaration/operations.ts";
import { storeNames, tables } from "../../lambdas/domain/built-in-stores.ts";
import { exampleTrust } from "../../lambdas/domain/tokens/tokens-table.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { type Description, type Operation, operationsOf } from "../../web/documentation/description.ts";
import type { Call } from "../../web/documentation/samples/call.ts";
import { guideLanguages, type Language, personalise } from "../../web/documentation/samples/languages.ts";
import { callOf, exampleValues, fieldKey, samplesOf } from "../../web/documentation/samples/sample-of.ts";
import { exampleCaller } from "../kit/support/example-callers.ts";
import { withShard } from "../kit/support/table-states.ts";
import { sampleRunner } from "../support/run-sample.ts";
import { sharedService, type TestService, tablesOf } from "../support/service.ts";

const description: Description = JSON.parse(JSON.stringify(describeApi(api)));
const operations = operationsOf(description);

const operationWith = (id: string): Operation => {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`There is no operation ${id}.`);
  return operation;
};

/** Returns an operation's sample with values for some of its fields. */
const sampleWith = (id: string, fields: Record<string, string>, language: Language): string => {
  const operation = operationWith(id);
  const values = operation.fields.map((field) => [fieldKey(field), fields[field.name] ?? ""]);
  return codeOf(callOf(operation, Object.fromEntries(values)), language);
};

const codeOf = (call: Call, language: Language): string =>
  samplesOf(call).find((sample) => sample.language === language)?.code ?? "";

/** Returns the variables for an operation that uses up its credential, which no other sample can share. */
const credentialsFor = async ({ id, credential }: Operation): Promise<Record<string, string>> => {
  const { endpoint } = apiOperationsOf(api).find(({ functionName }) => functionName === id) ?? {};
  if (endpoint?.credential === undefined) return {};
  if (credential === "jwt") {
    await tablesOf(service).put("tokens", withShard(exampleTrust));
    return { JWT: await service.workloadJwt() };
  }
  const isElsewhere = endpoint.example?.from !== undefined;
  const addresses = isElsewhere ? { ip: "127.0.0.2", otherIp: "127.0.0.1" } : { ip: "127.0.0.1" };
  const { text, record } = exampleCaller(endpoint, addresses);
  await tablesOf(service).put("tokens", record);
  return { [credential.toUpperCase()]: text };
};

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe.each(guideLanguages)("the samples in %s", (language) => {
  test("make every call of the API successfully", async (context) => {
    const run = await sampleRunner(context, language, service);

    for (const operation of operations) {
      for (const store of storeNames) {
        if (store !== "tokens") await tablesOf(service).put(store, tables[store].example);
      }
      const call = callOf(operation, exampleValues(operation));
      const output = await run(codeOf(call, language), await credentialsFor(operation));
      if (call.responseBody !== "none") expect(output, operation.id).toMatch(/\S/);
    }
  });

  test("send values unchanged, including special characters", async (context) => {
    const run = await sampleRunner(context, language, service);
    const key_id = `it's "${language}" $HOME \\n \`id\` #{x} é😀 a/b`;
    const v_code = `😀'"$TOKEN\\\\ %41+& =;\n`.padEnd(65, "ü");
    await run(sampleWith("v1-create-key", { key_id, v_code }, language));

    const path = `/api/v1/key/${encodeURIComponent(key_id)}`;
    expect((await service.call("GET", path)).json()).toMatchObject({ key_id, v_code });
    await run(sampleWith("v1-get-key", { key_id }, language));
    await run(sampleWith("v1-delete-key", { key_id }, language));
    expect((await service.call("GET", path)).status).toBe(404);
  });

  test("contain the entered invitation or JWT only where it is needed", () => {
    const reader = { address: service.baseUrl, token: "itk_entered", invitation: "iti_entered", jwt: "eyJh.bnRl.cmVk" };
    const personal = (id: string) => personalise(sampleWith(id, {}, language), language, reader);

    expect(personal("v1-redeem-invitation")).toContain("iti_entered");
    expect(personal("v1-redeem-invitation")).not.toContain("itk_entered");
    expect(personal("v1-rotate-token")).toContain("itk_entered");
    expect(personal("v1-exchange-token")).toContain("eyJh.bnRl.cmVk");
    expect(personal("v1-exchange-token")).not.toMatch(/X-Token|it[ki]_/);
  });

  test("fail if the call is rejected", async (context) => {
    const run = await sampleRunner(context, language, service);

    await expect(run(sampleWith("v1-get-key", { key_id: "never created" }, language))).rejects.toThrow("404");
  });

  test("contain the token once it is entered, and then need no environment variable", async (context) => {
    const run = await sampleRunner(context, language, service);
    const token = await service.issueToken();
    const reader = { address: service.baseUrl, token, invitation: "", jwt: "" };
    const code = personalise(sampleWith("v1-get-token", {}, language), language, reader);

    expect(code).toContain(token);
    expect(await run(code)).toContain(token.split("_")[1]);
  });
});
