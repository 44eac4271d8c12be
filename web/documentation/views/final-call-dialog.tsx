import type { RefObject } from "react";
import type { Operation } from "../description.ts";
import { Html } from "../parts/html.tsx";
import { Method } from "../parts/http.tsx";

interface FinalCallDialogProps {
  ref: RefObject<HTMLDialogElement | null>;
  operation: Operation;
  /** The path of the call, with its parameters. */
  path: string;
  onConfirm(): void;
}

/** Asks before a call that cannot be undone, and says what it does. */
export const FinalCallDialog = ({ ref, operation, path, onConfirm }: FinalCallDialogProps) => (
  <dialog ref={ref} aria-labelledby="final-call">
    <form method="dialog" onSubmit={onConfirm}>
      <h2 id="final-call">{operation.summary}?</h2>
      <p>This is a real call, and it cannot be undone.</p>
      <p className="path">
        <Method method={operation.method} /> <code>{path}</code>
      </p>
      <Html html={operation.description} />
      <div className="row buttons">
        <button type="button" onClick={() => ref.current?.close()}>
          Cancel
        </button>
        <button type="submit" className="final">
          {operation.summary}
        </button>
      </div>
    </form>
  </dialog>
);
