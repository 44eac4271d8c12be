import Button from "@cloudscape-design/components/button";
import Input from "@cloudscape-design/components/input";
import { useState } from "react";

/** Finds a key by its whole key_id: the service looks keys up, and does not search them. */
export const FindKey = ({ onFind }: { onFind: (keyId: string) => void }) => {
  const [keyId, setKeyId] = useState("");
  const find = (event: React.FormEvent) => {
    event.preventDefault();
    if (keyId !== "") onFind(keyId);
  };
  return (
    <form className="filters" onSubmit={find}>
      <Input
        type="search"
        value={keyId}
        onChange={({ detail }) => setKeyId(detail.value)}
        placeholder="Find by the whole key_id"
        ariaLabel="The whole key_id"
        spellcheck={false}
      />
      <Button>Find</Button>
    </form>
  );
};
