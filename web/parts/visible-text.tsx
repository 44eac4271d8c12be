import { partsOf } from "./visible-characters.ts";
import "./visible-text.css";

/**
 * A text that somebody else has chosen, such as a key_id. Two that differ never look alike because of characters that cannot be
 * seen, and none changes the order of the text around it.
 */
export const VisibleText = ({ text }: { text: string }) => (
  <bdi>
    {partsOf(text).map(({ text, offset, code }) =>
      code === undefined ? (
        text
      ) : (
        <span key={offset} className="invisible-character" data-code={code} title={code}>
          {text}
        </span>
      ),
    )}
  </bdi>
);
