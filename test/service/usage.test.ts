import { readFilterPattern, signIn } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { readTemplate } from "../support/template.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const counts = z.record(z.string(), z.number());
const usageAnswer = z.object({
  hours: z.array(z.object({ hour: z.string(), statuses: counts, codes: counts, leak_signals: z.number() })),
  refusals: z.array(z.object({ code: z.string(), status: z.number(), source_ip: z.string(), leak: z.boolean() })),
  first_used_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
  rotation: z.nullable(z.looseObject({ used_since: z.boolean(), successor_first_used_at: z.nullable(z.string()) })),
});

const usageOf = async (token_id: unknown) => usageAnswer.parse(await service.admin({ action: "usage", token_id }));

const issue = async (ip = "127.0.0.1") => {
  const { token_id, token } = await service.admin({ action: "issue", ip });
  return { token_id, token: String(token) };
};

const sum = (all: Record<string, number>[]): Record<string, number> => {
  const total: Record<string, number> = {};
  for (const one of all) for (const [name, count] of Object.entries(one)) total[name] = (total[name] ?? 0) + count;
  return total;
};

/** By outcome, over all hours: a test may begin in one hour and end in the next. */
const outcomesOf = async (token_id: unknown) => {
  const { hours } = await usageOf(token_id);
  return { ...sum(hours.map(({ statuses }) => statuses)), ...sum(hours.map(({ codes }) => codes)) };
};

describe("the use of a token", () => {
  test("is available by outcome, with the last refusals and their addresses, moments after the calls", async () => {
    const { token, token_id } = await issue();
    expect(await usageOf(token_id)).toMatchObject({ hours: [], refusals: [], last_used_at: null, rotation: null });

    for (const path of ["/api/v1/token", "/api/v1/token", "/api/v1/key/absent", "/api/v1/key?limit=0"]) {
      await service.call("GET", path, { token });
    }
    await service.call("GET", "/api/v1/token", { token, from: "127.0.0.66" });

    await expect
      .poll(() => outcomesOf(token_id))
      .toEqual({ "2xx": 2, "4xx": 3, key_not_found: 1, validation_failed: 1, ip_not_allowed: 1 });
    const { refusals, first_used_at, last_used_at } = await usageOf(token_id);
    expect(refusals[0]).toMatchObject({ code: "ip_not_allowed", status: 403, source_ip: "127.0.0.66", leak: true });
    expect(refusals).toHaveLength(3);
    expect(String(last_used_at) >= String(first_used_at)).toBe(true);
    expect((await service.admin({ action: "leaks" })).leaks).toContainEqual(
      expect.objectContaining({ token_id, source_ip: "127.0.0.66" }),
    );
  });

  test("includes calls above the token's limit, which count as use", async () => {
    const { token, token_id } = await service.admin({ action: "issue", ip: "127.0.0.1", rate_limit: 1 });
    for (let call = 0; call < 5; call += 1) await service.call("GET", "/api/v1/token", { token: String(token) });

    // A new minute may have begun in the meantime.
    await expect.poll(async () => Number((await outcomesOf(token_id)).rate_limited)).toBeGreaterThanOrEqual(3);
    expect((await usageOf(token_id)).refusals[0]).toMatchObject({ code: "rate_limited", status: 429, leak: false });
  });

  test("shows during a rotation when the successor was first used, and whether the old token is still in use", async () => {
    const old = await issue();
    await service.call("GET", "/api/v1/token", { token: old.token });
    const successor = await service.admin({ action: "rotate", token_id: old.token_id, grace_seconds: 3_600 });
    await expect.poll(() => outcomesOf(old.token_id)).toEqual({ "2xx": 1 });
    expect((await usageOf(old.token_id)).rotation).toMatchObject({ used_since: false, successor_first_used_at: null });

    await service.call("GET", "/api/v1/token", { token: String(successor.token) });
    await service.call("GET", "/api/v1/token", { token: old.token });
    const rotation = async () => (await usageOf(old.token_id)).rotation;
    await expect.poll(rotation).toMatchObject({ used_since: true, successor_first_used_at: expect.any(String) });
  });

  test("is the same for a signed-in admin and for an invocation, and is not available to others", async () => {
    const { token_id, token } = await issue();
    await service.call("GET", "/api/v1/token", { token });
    await expect.poll(() => outcomesOf(token_id)).toEqual({ "2xx": 1 });

    const url = `${service.baseUrl}/admin/tokens/${token_id}/usage`;
    const [login] = service.logins;
    if (!login) throw new Error("nobody can sign in");
    const headers = { authorization: `Bearer ${await signIn(service, login)}` };
    const answer = await fetch(`${url}?hours=168`, { headers });
    expect(await answer.json()).toEqual(await service.admin({ action: "usage", token_id, hours: 168 }));
    for (const hours of ["0", "169", "x"]) expect((await fetch(`${url}?hours=${hours}`, { headers })).status).toBe(422);
    expect((await fetch(url)).status).toBe(401);
  });

  test("of a missing token is an error", async () => {
    await expect(service.admin({ action: "usage", token_id: "01J00000000000000000000000" })).rejects.toMatchObject({
      errorType: "token_not_found",
    });
  });
});

describe("the dashboard", () => {
  test("has the same sums by token and by reason", async () => {
    const tokens = await Promise.all([issue(), issue(), issue("127.0.0.9")]);
    for (const { token } of tokens) {
      for (const path of ["/api/v1/token", "/api/v1/key?limit=0"]) await service.call("GET", path, { token });
    }
    await service.call("GET", "/api/v1/token", { token: "itk_no_token" });

    const lines: Record<string, unknown>[] = [...service.logged().matchAll(/^\[(?!admin)[^\]]+\] (\{.+\})$/gm)].map(
      ([, line = ""]) => JSON.parse(line),
    );
    const countBy = (counted: Record<string, unknown>[], field: string) =>
      sum(counted.map((line) => ({ [String(line[field])]: 1 })));
    const leaks = lines.filter(readFilterPattern(logMetrics.LeakSignals.lines));

    // The widgets "Tokens with the most calls" and "Refusals by reason".
    const dashboard = JSON.stringify((await readTemplate()).ofType("AWS::CloudWatch::Dashboard"));
    expect(dashboard).toContain('filter message = \\\\\\"request\\\\\\" and ispresent(token_id)');
    expect(dashboard).toContain('filter message = \\\\\\"request\\\\\\" and ispresent(code)');
    const callsByToken = countBy(
      lines.filter(({ message, token_id }) => message === "request" && token_id !== undefined),
      "token_id",
    );

    const viewed = async () => {
      const all = await Promise.all(Object.keys(callsByToken).map(async (id) => ({ id, ...(await usageOf(id)) })));
      const hours = all.flatMap((usage) => usage.hours);
      return {
        calls: sum(all.map(({ id, hours }) => ({ [id]: total(hours.map(({ statuses }) => total([statuses]))) }))),
        refusals: sum(hours.map(({ codes }) => codes)),
        leaks: total(hours.map(({ leak_signals }) => leak_signals)),
      };
    };
    await expect.poll(viewed).toEqual({
      calls: callsByToken,
      // Calls without a correct secret are only on the dashboard.
      refusals: countBy(
        lines.filter(({ message, code, token_id }) => message === "request" && code && token_id !== undefined),
        "code",
      ),
      leaks: leaks.length,
    });
    expect(Object.keys(callsByToken).length).toBeGreaterThanOrEqual(tokens.length);
    expect(leaks.length).toBeGreaterThanOrEqual(2);
  });
});

const total = (counted: (number | Record<string, number>)[]): number =>
  counted.reduce<number>((all, one) => all + (typeof one === "number" ? one : total(Object.values(one))), 0);
