import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that take long, although their files are short. */
const long = /\/test\/(tools\/(simulation|upgrade|soak|fuzz)|faults|browser|local\/dev)\b/;

/** Starts the longest test files first, so that none of them runs alone at the end. Otherwise, long files come before short ones. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
