/** Whether a host name or an address literal (IPv6 with or without brackets) means this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(host);
}
