import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes a rename in a folder survive a power cut. Windows does that itself, and cannot open folders. */
export const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
