@echo off
rem Run by the installer as SYSTEM: machine.cmd install, machine.cmd remove. Accounts are given by identifier, because names are translated:
rem S-1-5-18 SYSTEM, S-1-5-19 LocalService, S-1-5-32-544 Administrators, S-1-5-32-545 Users.
setlocal
set DATA=%ProgramData%\receiptd
set TOOLS=%SystemRoot%\System32
if "%1"=="install" goto install
if "%1"=="remove" goto remove
exit /b 2

:install
rem Anyone may create directories in ProgramData: administrators take ownership of an existing one.
if not exist "%DATA%\state" mkdir "%DATA%\state" || exit /b 1
"%TOOLS%\icacls.exe" "%DATA%" /setowner *S-1-5-32-544 /q >nul || exit /b 1
"%TOOLS%\icacls.exe" "%DATA%" /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-32-545:(OI)(CI)RX /q >nul || exit /b 1
"%TOOLS%\icacls.exe" "%DATA%\state" /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-19:(OI)(CI)F /q >nul || exit /b 1
rem The source of alerts in the event log. In EventCreate.exe, the texts for the numbers 1 to 1000 are `%1`.
"%TOOLS%\reg.exe" add HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\receiptd /v EventMessageFile /t REG_EXPAND_SZ /d "%%SystemRoot%%\System32\EventCreate.exe" /f >nul || exit /b 1
"%TOOLS%\reg.exe" add HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\receiptd /v TypesSupported /t REG_DWORD /d 7 /f >nul || exit /b 1
rem An existing task was created by setup, for the account chosen there.
"%TOOLS%\schtasks.exe" /Query /TN \receiptd >nul 2>&1 && "%TOOLS%\schtasks.exe" /Change /TN \receiptd /ENABLE >nul 2>&1 && exit /b 0
"%TOOLS%\schtasks.exe" /Create /F /TN \receiptd /XML "%~dp0task.xml" >nul || exit /b 1
exit /b 0

:remove
"%TOOLS%\schtasks.exe" /Change /TN \receiptd /DISABLE >nul 2>&1
"%TOOLS%\schtasks.exe" /End /TN \receiptd >nul 2>&1
"%TOOLS%\schtasks.exe" /Delete /F /TN \receiptd >nul 2>&1
"%TOOLS%\reg.exe" delete HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\receiptd /f >nul 2>&1
exit /b 0
