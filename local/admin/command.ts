/** The admin command, as users type it in the project's folder. */
export const command = "node local/admin.mjs";
