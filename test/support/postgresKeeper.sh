# Ends the PostgreSQL clusters under a directory and removes it when standard input closes, that is, when the run ends,
# even if it crashes.
# usage: sh postgresKeeper.sh DIRECTORY < (a pipe that the run holds, or /dev/null to clean up after an earlier run)
dir=$1
echo $$ >"$dir/keeper.new" && mv "$dir/keeper.new" "$dir/keeper"
cat >/dev/null

# A recorded process id may have been reused.
is_ours() {
  if [ -r "/proc/$1/cmdline" ]; then cat "/proc/$1/cmdline"; else ps -o command= -p "$1"; fi 2>/dev/null |
    grep -qaF "$dir/"
}
for file in "$dir"/*/data/postmaster.pid; do
  [ -f "$file" ] || continue
  pid=$(head -n 1 "$file")
  is_ours "$pid" || continue
  kill -QUIT "$pid" 2>/dev/null || continue
  waited=0
  while is_ours "$pid"; do
    [ "$waited" -lt 100 ] || kill -KILL "$pid" 2>/dev/null || break
    sleep 0.1
    waited=$((waited + 1))
  done
done
rm -rf "$dir"
