import { expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { projectFixture, run, start } from "./project-fixture.ts";

const ready = "Stop: Ctrl-C";

const passDays = async (project: string, words: string[], port: number) => {
  const command = run(project, ["local/days.mjs", ...words], { PORT: String(port) });
  return { exitCode: await command.ended, output: command.output() };
};

test("moving the clock by days shows what ran and was sent each day, and survives a restart", async () => {
  const [project, port] = [await projectFixture(), await freePort()];
  const service = start(project, port);
  await service.says(ready);
  const { exitCode, output } = await passDays(project, ["2"], port);

  expect(output).toMatch(
    /^(\S+) 06:00 {2}notices has run\.\nSent by notices to the topic \S+ \(no subscribers\):\n {2}\| Subject: Daily\n {2}\|\n {2}\| \1T06:0\S+Z\n(\S+) 06:00 /,
  );
  expect(output).toMatch(
    /The functions' clock now reads \S+Z\. Sent in these 2 days: 2\. The clock does not go back\.\n$/,
  );
  expect(exitCode).toBe(0);
  service.child.kill("SIGKILL");
  await service.ended;

  const again = start(project, port);
  await again.says(ready);
  expect(again.output()).toMatch(/The functions' clock reads \S+Z\. It is 48 hours ahead/);
});

test.for([["0"], ["-1"], ["1.5"], ["many"], ["1", "2"], []])(
  "rejects npm run days -- %s and shows the usage",
  async (words) => {
    const [project, port] = [await projectFixture(), await freePort()];

    expect(await passDays(project, words, port)).toEqual({
      exitCode: 2,
      output: expect.stringContaining("Usage: npm run days -- 31"),
    });
  },
);
