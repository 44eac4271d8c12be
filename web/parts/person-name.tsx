import { VisibleText } from "./visible-text.tsx";

/** A name that is a plain e-mail address breaks after the @ before it breaks within a word. */
export const PersonName = ({ name }: { name: string }) => {
  const [, user, host] = /^([\w.+-]+@)([\w.-]+)$/.exec(name) ?? [];
  return (
    <span className="breakable">
      {user === undefined ? (
        <VisibleText text={name} />
      ) : (
        <>
          {user}
          <wbr />
          {host}
        </>
      )}
    </span>
  );
};
