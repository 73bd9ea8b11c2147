@"%~dp0node.exe" "%~dp0app\dist\receiptd.cjs" %*
