import Button from "@cloudscape-design/components/button";
import Input from "@cloudscape-design/components/input";
import { useState } from "react";

/** Finds a key by its complete key_id: the service can look a key up, but not search. */
export const FindKey = ({ onFind }: { onFind: (keyId: string) => void }) => {
  const [keyId, setKeyId] = useState("");
  const find = (event: React.FormEvent) => {
    event.preventDefault();
    if (keyId !== "") onFind(keyId);
  };
  return (
    <form className="field-row" onSubmit={find}>
      <Input
        type="search"
        value={keyId}
        onChange={({ detail }) => setKeyId(detail.value)}
        placeholder="Find by the complete key_id"
        ariaLabel="The complete key_id"
        spellcheck={false}
      />
      <Button>Find</Button>
    </form>
  );
};
