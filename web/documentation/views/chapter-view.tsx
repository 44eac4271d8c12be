import { Fragment } from "react";
import type { ErrorExplanation } from "../description.ts";
import type { Chapter } from "../guide.ts";
import { statusText } from "../parts/http.tsx";
import { Html, Markdown } from "../parts/markdown.tsx";
import { CredentialField } from "../parts/reader.tsx";
import { Samples } from "../parts/samples.tsx";

interface ChapterViewProps {
  chapter: Chapter;
  errors: Record<string, ErrorExplanation>;
}

export const ChapterView = ({ chapter: { id, title, blocks }, errors }: ChapterViewProps) => {
  const firstSamples = blocks.findIndex((block) => "samples" in block);
  return (
    <div className="chapter">
      <h1 tabIndex={-1}>{title}</h1>
      {blocks.map((block, index) => {
        const key = `${id} ${index}`;
        if ("html" in block) return <Html key={key} className="prose" html={block.html} />;
        return (
          <Fragment key={key}>
            {id === "first-call" && index === firstSamples && <CredentialField credential="token" />}
            <Samples samples={block.samples} />
          </Fragment>
        );
      })}
      {id === "errors" && <ErrorList errors={errors} />}
    </div>
  );
};

type ErrorListProps = Pick<ChapterViewProps, "errors">;

const ErrorList = ({ errors }: ErrorListProps) => (
  <>
    <h2 id="all">All errors</h2>
    {Object.entries(errors).map(([code, { status, when, solve }]) => (
      <section key={code} className="error" id={code}>
        <h3 className="row">
          <code>{code}</code>
          <span className="quiet">{statusText(status)}</span>
        </h3>
        <Markdown text={when} />
        <Markdown text={solve} />
      </section>
    ))}
  </>
);
