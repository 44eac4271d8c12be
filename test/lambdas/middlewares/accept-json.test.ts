import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redirect } from "../../../lambdas/errors/api-error.ts";
import { acceptJson, namesJson } from "../../../lambdas/middlewares/accept-json.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { anyText } from "../../support/any-text.ts";
import { runBefore } from "../support/run-before.ts";

interface Range {
  type: string;
  parameters: { name: string; value: string; quoted: boolean }[];
  weight: string | undefined;
  spaces: string[];
}

const tokenText = fc.string({
  unit: fc.constantFrom(..."abcxyzABCXYZ0129!#$%&'*+-.^_`|~"),
  minLength: 1,
  maxLength: 8,
});

const weight = fc.oneof(
  fc.constantFrom(undefined, "0", "0.", "0.0", "0.000", "1", "1.000"),
  fc.integer({ min: 1, max: 999 }).map((thousandths) => `0.${String(thousandths).padStart(3, "0")}`),
);

const parameter = fc.oneof(
  fc.record({ name: tokenText, value: tokenText, quoted: fc.boolean() }),
  fc.record({
    name: tokenText,
    value: fc.constantFrom("a, application/json", 'say "hi", application/json;q=1', "\\", ";q=0", "", "é", "\t"),
    quoted: fc.constant(true),
  }),
);

const range: fc.Arbitrary<Range> = fc.record({
  type: fc.oneof(
    { weight: 3, arbitrary: fc.mixedCase(fc.constant("application/json")) },
    fc.constantFrom("*/*", "application/*", "text/html", "application/jsonx", "application/json+ld", "text/json"),
    fc.tuple(tokenText, tokenText).map((halves) => halves.join("/")),
  ),
  parameters: fc.array(
    parameter.filter(({ name }) => name.toLowerCase() !== "q"),
    { maxLength: 3 },
  ),
  weight,
  spaces: fc.array(fc.constantFrom("", " ", "\t", "  "), { minLength: 4, maxLength: 4 }),
});

const quote = (text: string): string => `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`;

const headerOf = (ranges: Range[], weightName: string): string =>
  ranges
    .map(
      ({ type, parameters, weight, spaces: [before = "", beforeSemicolon = "", afterSemicolon = "", after = ""] }) => {
        const pairs = parameters.map(({ name, value, quoted }) => `${name}=${quoted ? quote(value) : value}`);
        if (weight !== undefined) pairs.push(`${weightName}=${weight}`);
        return before + [type, ...pairs].join(`${beforeSemicolon};${afterSemicolon}`) + after;
      },
    )
    .join(",");

describe("an Accept header", () => {
  test("names JSON if and only if one of its ranges is application/json with a weight above zero", () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), fc.constantFrom("q", "Q"), (ranges, weightName) => {
        const expected = ranges.some(
          ({ type, weight }) => type.toLowerCase() === "application/json" && Number(weight ?? 1) > 0,
        );
        expect(namesJson(headerOf(ranges, weightName))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test.for([
    "",
    "*/*",
    "application/*",
    "application/json;q=0",
    "application/json; Q=0.000",
    "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    'text/html;note="application/json"',
    'text/html;note="\\", application/json"',
    "application/jsonp",
    "application / json",
    "json",
    ",,,",
  ])("%j does not name JSON", (header) => {
    expect(namesJson(header)).toBe(false);
  });

  test("that is absent does not name JSON", () => {
    expect(namesJson(undefined)).toBe(false);
  });

  test("of any text is parsed without an error", () => {
    fc.assert(fc.property(anyText(), (header) => typeof namesJson(header) === "boolean"));
  });

  // A backtracking pattern would not finish.
  test("of the greatest length that API Gateway accepts is parsed", () => {
    for (const part of ["a/b,", ";", "a/b;c=", '"', '\\"', "a/b;q=0,"]) {
      expect(namesJson(part.repeat(10_240 / part.length))).toBe(false);
    }
  });
});

describe("a request that does not ask for JSON", () => {
  const browser = () => apiEvent({ headers: { accept: "text/html", host: "evil.example" } });

  test("is redirected to the documentation by a relative reference, which no Host header can change", async () => {
    const outcome = runBefore(acceptJson(), browser());
    await expect(outcome).rejects.toBeInstanceOf(Redirect);
    await expect(outcome).rejects.toMatchObject({ location: "/api/documentation" });
  });

  test("is processed on a path that does not require JSON", async () => {
    await expect(runBefore(acceptJson({ appliesTo: () => false }), browser())).resolves.toBeDefined();
  });
});
