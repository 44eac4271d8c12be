export interface Note {
  name: string;
  text: string;
  updated_at: string;
}

export interface NoteStore {
  get(name: string): Promise<Note | undefined>;
  write(note: Pick<Note, "name" | "text">): Promise<Note>;
  /** Returns whether there was such a note. */
  delete(name: string): Promise<boolean>;
}
