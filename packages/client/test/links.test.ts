import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findLink } from "../src/links.ts";

describe("a Link header", () => {
  test.each([
    ["a quoted relation", '</2>; rel="next"', "/2"],
    ["a relation without quotes", "</2>;rel=next", "/2"],
    ["spaces wherever they may be", ' </2> ; rel = "next" ', "/2"],
    ["names and relations in upper case", '</2>; REL="NEXT"', "/2"],
    ["one of several relations", '</2>; rel="last next"', "/2"],
    ["one of several links", '</0>; rel="prev", </2>; rel="next", </9>; rel="last"', "/2"],
    ["empty elements", ', ,</2>; rel="next",', "/2"],
    [
      "other parameters, with and without values",
      "</2>; hreflang=en; crossorigin; rel=\"next\"; title*=UTF-8''a",
      "/2",
    ],
    ["commas and semicolons in the target", '</2?cursor=a,b;c>; rel="next"', "/2?cursor=a,b;c"],
    ["commas, semicolons and links in a quoted text", '</2>; title="a, <b>; rel=prev"; rel="next"', "/2"],
    ["quotes in a quoted text", '</2>; title="a \\" , </3>; b"; rel="next"', "/2"],
    ["escaped characters in the relation", '</2>; rel="ne\\xt"', "/2"],
    ["an absolute target", '<https://example.com/2>; rel="next"', "https://example.com/2"],
    ["two links with the relation: the first counts", '</2>; rel="next", </3>; rel="next"', "/2"],
  ])("may have %s", (_, header, target) => {
    expect(findLink(header, "next")).toBe(target);
  });

  test.each([
    ["is empty", ""],
    ["has no such relation", '</0>; rel="prev"'],
    ["has a relation that only contains the word", '</2>; rel="next-archive"'],
    ["has the relation as the second rel of a link, which does not count", '</2>; rel="prev"; rel="next"'],
    ["has the relation in a quoted text only", '</2>; title="; rel=next"'],
    ["has the relation for something else", '</2>; rel="next"; anchor="/other"'],
    ["has a link without brackets", '/2; rel="next"'],
    ["has a bracket that is not closed", '</2; rel="next"'],
    ["has a quote that is not closed", '</0>; title="a, </2>; rel=next'],
  ])("leads nowhere if it %s", (_, header) => {
    expect(findLink(header, "next")).toBeUndefined();
  });

  test("leads to the link with the relation, whatever other links say", () => {
    const text = fc.string({ unit: "grapheme-ascii" });
    const target = fc.webPath();
    const parameters = fc.array(
      fc.oneof(
        text.map((value) => `title="${value.replaceAll(/["\\]/g, "\\$&")}"`),
        fc.constantFrom("hreflang=de", "crossorigin"),
      ),
    );
    const links = fc.array(
      fc.tuple(target, parameters, fc.constantFrom("prev", "last", "self")).map(([to, others, relation]) => {
        return `<${to}>; ${[...others, `rel=${relation}`].join("; ")}`;
      }),
    );
    fc.assert(
      fc.property(links, target, parameters, links, (before, to, others, after) => {
        const next = `<${to}>; ${[...others, 'rel="next"'].join(";")}`;
        expect(findLink([...before, next, ...after].join(", "), "next")).toBe(to);
        expect(findLink([...before, ...after].join(", "), "next")).toBeUndefined();
      }),
    );
  });
});
