# Asks Ruby itself whether it takes each line of an env file.
grep -v '^#' "$1" | while read -r line; do
	env "$line" ruby -w -e 0 2>&1 | grep -F "${line%%=*}=" | grep -qv ignored || echo "not taken: $line"
done >not_taken
if [ -s not_taken ]; then
	cat not_taken
else
	echo all taken
fi
