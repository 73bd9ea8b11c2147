@echo off
rem The entries of the Start menu run: menu.cmd console, menu.cmd status, menu.cmd setup. The agent answers administrators only.
"%SystemRoot%\System32\net.exe" session >nul 2>&1 && goto elevated
"%SystemRoot%\System32\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -Command "Start-Process -Verb RunAs -FilePath '%~f0' -ArgumentList '%1'"
exit /b

:elevated
cd /d "%~dp0"
set PATH=%~dp0;%PATH%
set CONFIG=%ProgramData%\receiptd\receiptd.yaml
set WHAT=%1
rem Before setup there is nothing else to show.
if not exist "%CONFIG%" set WHAT=setup
if "%WHAT%"=="setup" call "%~dp0receiptd.cmd" setup --browser --config "%CONFIG%"
if not "%WHAT%"=="setup" call "%~dp0receiptd.cmd" %WHAT%
pause
