import { createRoot } from "react-dom/client";
import type { Description } from "./description.ts";
import { readChapters } from "./guide.ts";
import { App } from "./shell/app.tsx";

const elementOf = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element ${id}.`);
  return element;
};

const root = createRoot(elementOf("documentation"));
const guide = elementOf("guide");
try {
  const response = await fetch("documentation/api-docs.json");
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const description: Description = await response.json();
  const chapters = readChapters(guide);
  // The chapters are now the application's: two elements with one id would confuse links.
  guide.remove();
  root.render(<App description={description} chapters={chapters} />);
} catch (error) {
  root.render(
    <p className="notice" role="alert">
      The description of the API could not be loaded. Reload the page to try again. ({String(error)})
    </p>,
  );
}
