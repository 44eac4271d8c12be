import { EventEmitter, on, once } from "node:events";
import { Session } from "node:inspector/promises";
import { onTestFinished } from "vitest";

interface Position {
  /** Counted from 0. */
  line: number;
  column: number;
}

/** Debugs the thread of this process that has loaded a script, as an editor does. */
interface ThreadDebugger {
  /** The source map that the script names. */
  sourceMapUrl: string;
  breakAt: (position: Position) => Promise<void>;
  /** Waits until the thread has stopped, and returns the position. */
  paused: () => Promise<Position>;
  resume: () => Promise<void>;
}

export const attachDebugger = async (scriptUrl: string): Promise<ThreadDebugger> => {
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  const threads = new EventEmitter();
  let lastId = 0;

  const send = async (sessionId: string, method: string, params: object = {}) => {
    lastId += 1;
    const answered = once(threads, `answer ${lastId}`);
    const message = JSON.stringify({ id: lastId, method, params });
    await session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
    await answered;
  };

  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { sessionId, message } }) => {
    const { id, method, params } = JSON.parse(message);
    if (id !== undefined) threads.emit(`answer ${id}`);
    else threads.emit(method, { sessionId, ...params });
  });
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId } }) => void send(sessionId, "Debugger.enable"));

  const loaded = new Promise<{ sessionId: string; sourceMapURL: string }>((resolve) => {
    threads.on("Debugger.scriptParsed", (script) => {
      if (script.url === scriptUrl) resolve(script);
    });
  });
  await session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  const { sessionId, sourceMapURL: sourceMapUrl } = await loaded;

  // Keeps a pause that comes before anybody waits for it.
  const pauses = on(threads, "Debugger.paused");
  return {
    sourceMapUrl,
    breakAt: ({ line, column }) =>
      send(sessionId, "Debugger.setBreakpointByUrl", { url: scriptUrl, lineNumber: line, columnNumber: column }),
    async paused() {
      const { value: [{ callFrames }] = [] } = await pauses.next();
      const { lineNumber: line, columnNumber: column } = callFrames[0].location;
      return { line, column };
    },
    resume: () => send(sessionId, "Debugger.resume"),
  };
};
