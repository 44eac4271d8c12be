import { testPastedBlocks } from "./pasted-blocks.ts";

testPastedBlocks((document) => !["README.md", "docs/scripts.md"].includes(document));
