/** Whether a `Content-Type` header names this media type, in UTF-8. */
export const isInUtf8 = (mediaType: string, contentType = ""): boolean => {
  const [type = ""] = contentType.split(";", 1);
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  return type.trim().toLowerCase() === mediaType && charset.toLowerCase() === "utf-8";
};
