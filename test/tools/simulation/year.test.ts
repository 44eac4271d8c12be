import { describe, expect, test } from "vitest";
import { liveYear } from "../../../tools/simulation/year/year.ts";
import { yearPlants } from "../../../tools/simulation/year/year-plants.ts";

// The long run is `npm run simulate -- --year`.
const short = { tokens: 30, days: 200, seed: 4 };

test("in most of a year every due notice is sent once on each channel or reported as uncertain, and no other is", async () => {
  const { problems, figures } = await liveYear(short);

  expect(problems).toEqual([]);
  const kinds = ["token_expires", "rotation_unfinished", "token_unused", "invitation_unused", "confirmation_waiting"];
  for (const kind of [...kinds, "token_leaked", "delivery_uncertain"]) expect(figures[kind], kind).toBeGreaterThan(0);
  expect(figures["attempts without an answer"]).toBeGreaterThan(0);
  expect(figures["runs that died"]).toBeGreaterThan(0);
});

/** The command `npm run simulate -- --year --plant NAME` tries the others. */
const planted = ["a notice that may have arrived is sent again", "nobody is told what may not have arrived"];

describe("a planted bug is found", () => {
  test.each(planted)("%s", async (name) => {
    const { problems } = await liveYear({ ...short, days: 60, plant: yearPlants[name]?.() });

    expect(problems).not.toEqual([]);
  });
});
