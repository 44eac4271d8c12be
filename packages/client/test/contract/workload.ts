import { writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { expect } from "vitest";
import type { WorkloadOptions } from "./protocol.ts";
import { found, issuedToken, jobOf, lost, raw, refused, reply } from "./services.ts";
import { tokenFile } from "./stored-token.ts";
import type { Behaviours, World } from "./world.ts";

/** A token with a lifetime of a month, on a given day of the service's clock. */
const issued = (name: string, day: number): RequestListener => {
  const lifetime = { issued_at: "2030-01-01T00:00:00.000Z", expires_at: "2030-01-31T00:00:00.000Z" };
  return reply(201, { ...issuedToken(name), ...lifetime }, { date: new Date(Date.UTC(2030, 0, day)).toUTCString() });
};

/** The responses other than rejections with `401`, which are named by their code. */
const named: Record<string, RequestListener> = {
  ...{ J1: found({ value: "eyJ1.secret" }), J2: found({ value: "eyJ2.secret" }), ok: found(), lost },
  ...{ T1: issued("T1", 20), T2: issued("T2", 20), due: issued("T1", 21), ended: issued("T1", 31) },
  ...{ jwt_used: refused(409, "jwt_used"), ip_not_allowed: refused(403, "ip_not_allowed") },
  issuer_unreachable: refused(503, "issuer_unreachable", { "retry-after": "60" }),
};
const response = (name = ""): RequestListener => named[name] ?? refused(401, name);

/** A client whose platform and service give these responses in turn. */
const scriptedWorkload = async ({ scripted }: World, responses: RequestListener[], options: WorkloadOptions = {}) => {
  const opened = await scripted(responses);
  await opened.client({ call: "open_workload", environment: jobOf(`${opened.baseUrl}/jwt?a=b`), ...options });
  return opened;
};

/** The requests of one or more calls of a client, with the responses. A call fails if the last response is not `ok`. */
const courses = [
  "jwt:J1 exchange=1:lost exchange=1:T1 call=T1:ok, call=T1:ok",
  "jwt:J1 exchange=1:issuer_unreachable exchange=1:T1 call=T1:ok",
  "jwt:J1 exchange=1:jwt_used jwt:J2 exchange=2:T1 call=T1:ok",
  "jwt:J1 exchange=1:jwt_used jwt:J1 exchange=1:jwt_used",
  ...["token_expired", "token_revoked", "token_invalid", "ip_not_allowed"].flatMap((code) => [
    `jwt:J1 exchange=1:T1 call=T1:${code} jwt:J2 exchange=2:T2 call=T2:ok, call=T2:ok`,
    `jwt:J1 exchange=1:T1 call=T1:${code} jwt:J2 exchange=2:T2 call=T2:${code}`,
    `jwt:J1 exchange=1:T1 call=T1:${code} jwt:J2 exchange=2:jwt_invalid`,
  ]),
  "jwt:J1 exchange=1:T1 call=T1:request_rejected",
  // A client renews a token when a third of its lifetime is left, and tolerates a failure until then.
  "jwt:J1 exchange=1:due call=T1:ok, jwt:J2 exchange=2:T2 call=T2:ok, call=T2:ok",
  "jwt:J1 exchange=1:due call=T1:ok, jwt:J2 exchange=2:lost call=T1:ok, call=T1:ok",
  "jwt:J1 exchange=1:ended call=T1:ok, jwt:J2 exchange=2:lost exchange=2:T2 call=T2:ok",
];

/** A client that exchanges the JWTs of its platform for tokens. */
export const workload: Behaviours = {
  "makes one exchange for concurrent calls": async (world) => {
    const respond: RequestListener = (from, to) => {
      const name = from.url?.startsWith("/jwt") ? "J1" : from.url?.endsWith("/exchange") ? "T1" : "token_missing";
      response(name)(from, to);
    };
    const { client, requests } = await scriptedWorkload(world, Array(40).fill(respond));
    await client({ call: "get_token_at_once" });

    expect(requests.filter(({ url }) => url.endsWith("/exchange"))).toHaveLength(1);
  },

  "requests JWTs and tokens when it needs them, and repeats a request at most once": async (world) => {
    for (const course of courses) {
      const steps = course.split(/,? /).map((step) => step.split(":"));
      const responses = steps.map(([, name]) => response(name));
      const { client, requests, baseUrl } = await scriptedWorkload(world, responses);
      for (const call of course.split(", ")) {
        expect((await client({ call: "pages" })).failure?.code ?? "ok", course).toBe(call.split(":").at(-1));
      }
      const platform = `/jwt?a=b&audience=${encodeURIComponent(baseUrl)}`;
      const asked = requests.map(({ url, headers: { "x-token": token, authorization }, body }) => {
        if (typeof token === "string") return `call=${token.slice(4, 6)}`;
        return url === platform && authorization === "Bearer secret" ? "jwt" : `exchange=${/=eyJ(.)/.exec(body)?.[1]}`;
      });
      expect(asked, course).toEqual(steps.map(([request]) => request));
    }
  },

  "reads JWTs from a file or a variable, explains failures of its platform, and shows no secret": async (world) => {
    const file = await tokenFile();
    const echo = raw(400, "subject_token=eyJ1.secret&");
    const rows: [WorkloadOptions, RequestListener[], string][] = [
      [{ environment: { ACTIONS_ID_TOKEN_REQUEST_URL: "" } }, [], "permissions: id-token: write"],
      [{}, [raw(200, '"eyJ1.secret')], "GitHub responded with 200 and without a JWT"],
      [{}, [reply(403, "secret")], "GitHub responded with 403 and without a JWT"],
      [{}, [raw(302, "", { location: "/jwt" })], "GitHub responded with 302 and without a JWT"],
      [{ variable: "EXAMPLE_JWT" }, [], "The variable EXAMPLE_JWT is not set"],
      [{ variable: "EXAMPLE_JWT", environment: { EXAMPLE_JWT: "eyJ1.secret" } }, [echo], "subject_token=eyJ…&"],
      [{ file: file.path }, [echo], "subject_token=eyJ…&"],
    ];
    for (const [options, responses, message] of rows) {
      const { client, requests } = await scriptedWorkload(world, responses, options);
      await writeFile(file.path, "eyJ1.secret\n");
      const { failure } = await client({ call: "pages" });
      expect(failure?.message).toContain(message);
      expect(failure?.message).not.toContain("secret");
      if (responses.includes(echo)) expect(requests[0]?.body).toMatch(/=eyJ1\.secret$/);
    }
  },
};
