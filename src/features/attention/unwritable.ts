/** What to say when the folder for people can't be written. `code`: the system's, e.g. `EACCES`. */
export function unwritable(place: string, code: string): { message: string; hint: string } {
  const unseen = "so people at the scanner can't see which files could not be sent.";
  if (code === 'ENOTDIR' || code === 'ELOOP')
    return {
      message: `${place} is not a folder or is reached through a link. receiptd never writes or deletes through a link, ${unseen}`,
      hint: 'Find out who put the link there and remove it, or set `needsAttention` to another folder. Everything else continues.',
    };
  return {
    message: `${place} can't be written (${code}), ${unseen}`,
    hint: "Allow the agent's user to create files in it, or correct `needsAttention`. Everything else continues.",
  };
}
