"""What every game must keep, proved for every game that is found."""
