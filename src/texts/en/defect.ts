/** The first line of the report about a defect. */
export function defectText(version: string): string {
  return `error: This command stopped because of a bug in receiptd ${version}. Nothing recorded is lost. Please report it with these lines:`;
}
