import { vi } from "vitest";
import { testPastedBlocks } from "./pasted-blocks.ts";

// The longest documents have many blocks, each of which is pasted often.
vi.setConfig({ testTimeout: 300_000 });

testPastedBlocks((document) => !["README.md", "docs/scripts.md"].includes(document));
