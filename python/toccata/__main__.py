from toccata.cli import main

main()
