const terminalIntervalMs = 100;
const plainIntervalMs = 10_000;

interface ProgressState {
  /** The number of items done so far, including those of earlier runs. */
  done: number;
  doneBefore: number;
  /** The approximate total, if it is known. */
  total: number | undefined;
  elapsedMs: number;
}

export const formatCount = (count: number): string => count.toLocaleString("en");

export const formatDuration = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** One line: the count, the rate, and, if the total is known, the share and the time that is left. */
export const progressLine = (label: string, { done, doneBefore, total, elapsedMs }: ProgressState): string => {
  const perSecond = elapsedMs > 0 ? ((done - doneBefore) * 1000) / elapsedMs : 0;
  const rate = `${formatCount(Math.round(perSecond))}/s`;
  // DynamoDB counts a table's items every few hours, so the total may be too small.
  if (total === undefined || total < done) return `${label}  ${formatCount(done)} items  ${rate}`;
  const share = total === 0 ? 1 : done / total;
  const left = perSecond > 0 ? `  ${formatDuration(((total - done) * 1000) / perSecond)} left` : "";
  return `${label}  ${Math.floor(share * 100)} %  ${formatCount(done)} of ${formatCount(total)} items  ${rate}${left}`;
};

export interface Progress {
  show(done: number): void;
  /** Shows the last state, and ends the line. */
  end(): void;
}

interface ProgressOptions {
  total: number | undefined;
  doneBefore?: number;
  stream?: NodeJS.WritableStream & { isTTY?: boolean };
  now?: () => number;
}

/** Shows progress in one line of a terminal, which it rewrites, or in a line every ten seconds anywhere else. */
export const startProgress = (
  label: string,
  { total, doneBefore = 0, stream = process.stderr, now = Date.now }: ProgressOptions,
): Progress => {
  const isTerminal = stream.isTTY === true;
  const startedAt = now();
  let shownAt = startedAt;
  let done = doneBefore;
  const draw = () => {
    const line = progressLine(label, { done, doneBefore, total, elapsedMs: now() - startedAt });
    stream.write(isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
    shownAt = now();
  };
  return {
    show(newlyDone) {
      done = newlyDone;
      if (now() - shownAt >= (isTerminal ? terminalIntervalMs : plainIntervalMs)) draw();
    },
    end() {
      draw();
      if (isTerminal) stream.write("\n");
    },
  };
};
